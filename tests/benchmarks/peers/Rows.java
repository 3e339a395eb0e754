// Rows: how many rows the Java library mysql-binlog-connector-java decodes from a log.

import com.github.shyiko.mysql.binlog.BinaryLogFileReader;
import com.github.shyiko.mysql.binlog.event.DeleteRowsEventData;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventData;
import com.github.shyiko.mysql.binlog.event.UpdateRowsEventData;
import com.github.shyiko.mysql.binlog.event.WriteRowsEventData;
import java.io.File;

public class Rows {
    public static void main(String[] arguments) throws Exception {
        long rows = 0;
        try (BinaryLogFileReader reader = new BinaryLogFileReader(new File(arguments[0]))) {
            for (Event event = reader.readEvent(); event != null; event = reader.readEvent()) {
                EventData data = event.getData();
                if (data instanceof WriteRowsEventData) {
                    rows += ((WriteRowsEventData) data).getRows().size();
                } else if (data instanceof UpdateRowsEventData) {
                    rows += ((UpdateRowsEventData) data).getRows().size();
                } else if (data instanceof DeleteRowsEventData) {
                    rows += ((DeleteRowsEventData) data).getRows().size();
                }
            }
        }
        System.out.println(rows);
    }
}
