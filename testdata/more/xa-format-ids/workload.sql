-- Format ids of XA transactions from 2^31 on: a server keeps four bytes of them, but writes the whole into statements.
create database x; use x; create table t(a int primary key);
xa start 'a','',2147483648; insert t values(1); xa end 'a','',2147483648; xa prepare 'a','',2147483648; xa commit 'a','',2147483648;
xa start 'b','',4294967297; insert t values(2); xa end 'b','',4294967297; xa prepare 'b','',4294967297; xa rollback 'b','',4294967297;
xa start 'c','',9223372036854775807; insert t values(3); xa end 'c','',9223372036854775807; xa prepare 'c','',9223372036854775807; xa recover;  xa commit 'c','',9223372036854775807;
-- !error 1064
xa start 'd','',9223372036854775808;
-- !error 1064
xa start 'd','',18446744073709551616;
xa start 'e','',4294967295; insert t values(5); xa end 'e','',4294967295; xa commit 'e','',4294967295 one phase;
xa start 'f','',4294967296; insert t values(6); xa end 'f','',4294967296; xa prepare 'f','',4294967296;xa recover;
-- !error 1397
xa rollback 'f','',0;
xa rollback 'f','',4294967296;
