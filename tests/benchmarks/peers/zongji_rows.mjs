// How many rows @vlasky/zongji decodes from a server's log: node runs this, with PORT and LOG, in a folder that has it.

import { createRequire } from 'module';
import { pathToFileURL } from 'url';

const { resolve } = createRequire(process.cwd() + '/');
const { default: ZongJi } = await import(pathToFileURL(resolve('@vlasky/zongji')));
const [port, log] = process.argv.slice(2);
const reader = new ZongJi({ host: '127.0.0.1', port: Number(port), user: 'root' });
let rows = 0;

reader.on('binlog', (event) => {
  if (event.rows) {
    rows += event.rows.length;
  } else if (event.getTypeName() === 'Rotate' && event.binlogName !== log) {
    console.log(rows);
    process.exit(0);
  }
});
reader.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
reader.start({
  filename: log, position: 4, serverId: 4712,
  includeEvents: ['rotate', 'tablemap', 'writerows', 'updaterows', 'deleterows'],
});
