// SPDX-License-Identifier: Apache-2.0
// The failing VFS: forwards each call to the default VFS unless a failure is due.
#include "failing_disk.h"

#include <string.h>

#include <sqlite3.h>

struct failing_disk disk;

struct shim_file {
    sqlite3_file base;
    sqlite3_file *real; // file of the real VFS, stored directly after this struct
};

static sqlite3_vfs *real_vfs;
static sqlite3_vfs shim_vfs;

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct shim_file *)file)->real;
}

static bool is_due(int count, int at)
{
    return at && (count == at || (disk.stays && count > at));
}

static int shim_read(sqlite3_file *file, void *buffer, int amount, sqlite3_int64 offset)
{
    if (!is_due(++disk.reads, disk.fail_read))
        return real_of(file)->pMethods->xRead(real_of(file), buffer, amount, offset);
    if (disk.instead) {
        disk.instead(disk.context);
        return real_of(file)->pMethods->xRead(real_of(file), buffer, amount, offset);
    }
    if (disk.is_short) {
        memset(buffer, 0, (size_t)amount); // SQLite requires zeros after a short read
        return SQLITE_IOERR_SHORT_READ;
    }
    return SQLITE_IOERR_READ;
}

static int shim_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int shim_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 offset)
{
    return real_of(file)->pMethods->xWrite(real_of(file), data, amount, offset);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int shim_sync(sqlite3_file *file, int flags)
{
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int shim_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int shim_reserved(sqlite3_file *file, int *result)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
}

static int shim_control(sqlite3_file *file, int what, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int shim_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int shim_traits(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static const sqlite3_io_methods shim_methods = {
    .iVersion = 1, // version 1 has no memory mapping, so every page goes through xRead
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs;
    struct shim_file *shim = (struct shim_file *)file;
    file->pMethods = NULL;
    if (is_due(++disk.opens, disk.fail_open))
        return SQLITE_CANTOPEN;
    shim->real = (sqlite3_file *)(shim + 1);
    int status = real_vfs->xOpen(real_vfs, name, shim->real, flags, out);
    if (shim->real->pMethods)
        file->pMethods = &shim_methods;
    return status;
}

bool failing_disk_install(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    shim_vfs = *real_vfs;
    shim_vfs.zName = "failing";
    shim_vfs.szOsFile = (int)sizeof(struct shim_file) + real_vfs->szOsFile;
    shim_vfs.xOpen = shim_open;
    return sqlite3_vfs_register(&shim_vfs, 1) == SQLITE_OK;
}

void failing_disk_remove(void)
{
    sqlite3_vfs_unregister(&shim_vfs);
}
