// SPDX-License-Identifier: Apache-2.0
//
// Malformed rows for tests of readers.
#include "meta.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

#define RANGE "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid,domainId,textId) VALUES"

static void texts_write(Writer *writer, long long tid)
{
    // Terminal control sequences: colours, titles, clipboard, 8-bit controls, bidirectional
    // overrides.
    writer_sql(writer,
               RANGE "(400000000,400000100,59,char(27)||'[31;5mred'||char(27)||'[0m',%lld,0,NULL)",
               tid);
    writer_sql(
        writer,
        RANGE "(400000200,400000300,59,char(27)||']0;title'||char(7)||char(27)||'[2J',%lld,0,NULL)",
        tid);
    writer_sql(writer,
               RANGE "(400000400,400000500,59,char(27)||']52;c;aGVsbG8='||char(7),%lld,0,NULL)",
               tid);
    writer_sql(writer,
               RANGE "(400000600,400000700,59,'tab'||char(9)||'line'||char(10)||'return'||char(13)|"
                     "|char(8),%lld,0,NULL)",
               tid);
    writer_sql(writer,
               RANGE
               "(400000800,400000900,59,char(155)||'31mC1'||char(8238)||'gnp.exe',%lld,0,NULL)",
               tid);
    writer_sql(
        writer,
        RANGE
        "(400001000,400001100,59,CAST(X'ff80c328e28228f0288cbc62726f6b656e' AS TEXT),%lld,0,NULL)",
        tid);
    writer_sql(writer,
               RANGE "(400001200,400001300,59,CAST(X'6e756c00696e73696465' AS TEXT),%lld,0,NULL)",
               tid);
    writer_sql(writer, RANGE "(400001400,400001500,59,X'deadbeef',%lld,0,NULL)", tid);
    writer_sql(writer, RANGE "(400001600,400001700,59,NULL,%lld,0,NULL)", tid);
    writer_sql(writer, RANGE "(400001800,400001900,59,'',%lld,0,NULL)", tid);
    writer_sql(writer,
               RANGE "(400002000,400002100,59,'text beside a dangling id',%lld,0,987654321)", tid);
    writer_sql(writer,
               RANGE "(400002200,400002300,59,'layer:',%lld,0,NULL),(400002400,400002500,59,"
                     "'layer:::',%lld,0,NULL)",
               tid, tid);
    writer_sql(
        writer,
        RANGE
        "(400002600,400002700,59,'{''mod'': ''torch'', ''op'': ''mm'', ''args'': [',%lld,0,NULL)",
        tid);
    writer_sql(
        writer,
        RANGE
        "(400002800,400002900,59,'{''traceMarker'': [''a:1''], ''funcStack'': 5}',%lld,0,NULL)",
        tid);
    writer_sql(
        writer,
        RANGE
        "(400003000,400003100,59,'aten::mm, seq = 99999999999999999999, op_id = -1',%lld,0,NULL)",
        tid);
    writer_sql(writer,
               RANGE "(400003200,400003300,59,char(127467)||char(127479)||char(8205)||'e'||char("
                     "769)||char(12354),%lld,0,NULL)",
               tid);
    writer_sql(writer, RANGE "(400003400,400003500,59,'%%s%%n%%x =cmd() ,;\"''',%lld,0,NULL)", tid);
}

static void times_write(Writer *writer, long long tid)
{
    writer_sql(writer,
               RANGE "(-4212000000000,-4211999999000,59,'long before the capture',%lld,0,NULL)",
               tid);
    writer_sql(
        writer,
        RANGE "(9000000000000000000,9223372036854775807,59,'at the end of time',%lld,0,NULL)", tid);
    writer_sql(
        writer,
        RANGE "(-9223372036854775807,-9223372036854775807,59,'at its beginning',%lld,0,NULL)", tid);
    writer_sql(writer, RANGE "(500000000,400000000,59,'ends before it starts',%lld,0,NULL)", tid);
    writer_sql(writer, RANGE "(450000000,NULL,59,'never ends',%lld,0,NULL)", tid);
    writer_sql(writer, RANGE "(450000000,NULL,60,'start/end, never ends',%lld,0,NULL)", tid);
    writer_sql(writer,
               RANGE "(410000000,420000000,59,'crosses 1',%lld,0,NULL),"
                     "(415000000,425000000,59,'crosses 2',%lld,0,NULL)",
               tid, tid);
    writer_sql(writer,
               RANGE "(430000000,430000000,59,'empty',%lld,0,NULL),"
                     "(430000000,430000000,59,'empty twin',%lld,0,NULL)",
               tid, tid);
    writer_sql(writer, RANGE "(430000000,431000000,250,'unknown type',%lld,0,NULL)", tid);
    writer_sql(writer, RANGE "(430000000,431000000,59,'no thread',NULL,NULL,NULL)");
}

#define KERNEL                                                                                    \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,contextId,streamId,correlationId," \
    "globalPid,demangledName,shortName,mangledName,registersPerThread,gridX,gridY,gridZ,blockX,"  \
    "blockY,blockZ,staticSharedMemory,dynamicSharedMemory,localMemoryPerThread,localMemoryTotal," \
    "gridId) VALUES"
#define KERNEL_TAIL "32,1,1,1,32,1,1,0,0,0,0,1)"

static void kernels_write(Writer *writer, long long pid, long long tid)
{
    size_t size = 300000;
    char *huge = memory_grow(NULL, size + 1);
    memset(huge, 'x', size);
    huge[size] = '\0';
    long long huge_id = writer_intern(writer, huge);
    free(huge);
    long long escape_id = writer_intern(writer, "kernel\x1b[41m<float>\x1b]0;pwned\x07\xff\xfe");
    long long brackets_id = writer_intern(writer, "void f<g<h<((({{{lambda()#1}::operator()(");
    writer_sql(writer, KERNEL "(460000000,460001000,0,1,7,900001,%lld,%lld,%lld,NULL," KERNEL_TAIL,
               pid, huge_id, huge_id);
    writer_sql(writer, KERNEL "(460002000,460003000,0,1,7,900002,%lld,%lld,%lld,NULL," KERNEL_TAIL,
               pid, escape_id, escape_id);
    writer_sql(writer, KERNEL "(460004000,460005000,0,1,7,900003,%lld,%lld,%lld,NULL," KERNEL_TAIL,
               pid, brackets_id, brackets_id);
    // Kernels that end before they start, have an unknown name, no correlation, no process, or
    // absurd numbers.
    writer_sql(writer, KERNEL "(460007000,460006000,0,1,7,900004,%lld,1,1,NULL," KERNEL_TAIL, pid);
    writer_sql(writer,
               KERNEL "(460008000,460009000,0,1,7,900005,%lld,88888888,-5,NULL," KERNEL_TAIL, pid);
    writer_sql(writer, KERNEL "(460010000,460011000,0,1,7,NULL,NULL,1,1,NULL," KERNEL_TAIL);
    writer_sql(writer, KERNEL "(460012000,460013000,-1,-1,-1,-1,-1,1,1,NULL,-1,-1,0,0,2147483648,"
                              "99999,1,-1,-1,-1,-1,-1)");
    writer_sql(writer,
               KERNEL "(460014000,9223372036854775807,0,1,7,900006,%lld,1,1,NULL," KERNEL_TAIL,
               pid);
    writer_sql(writer,
               KERNEL "(-9223372036854775807,460015000,0,1,7,900007,%lld,1,1,NULL," KERNEL_TAIL,
               pid);
    // The same kernel twice, and a launch that occurs twice.
    writer_sql(writer, KERNEL "(460016000,460017000,0,1,7,900008,%lld,1,1,NULL," KERNEL_TAIL, pid);
    writer_sql(writer, KERNEL "(460016000,460017000,0,1,7,900008,%lld,1,1,NULL," KERNEL_TAIL, pid);
    for (int i = 0; i < 2; i++)
        writer_sql(writer,
                   "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,end,eventClass,globalTid,"
                   "correlationId,nameId,returnValue) VALUES(%d,%d,0,%lld,900008,77777777,0)",
                   459000000 + i * 1000, 459000500 + i * 1000, tid);
    // Text in place of a number, which SQLite accepts.
    writer_sql(
        writer,
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start,end,eventClass,globalTid,correlationId,"
        "nameId,returnValue) VALUES('soon','later',0,%lld,900009,1,0)",
        tid);
}

void hostile_write(World *world)
{
    Writer *writer = world->writer;
    long long tid = world->ranks[0].main.global_tid, pid = world->ranks[0].process->global_pid;
    texts_write(writer, tid);
    times_write(writer, tid);
    kernels_write(writer, pid, tid);
    writer_sql(writer,
               "INSERT INTO StringIds VALUES(-3,'negative id'),(9223372036854775807,'largest id')");
}
