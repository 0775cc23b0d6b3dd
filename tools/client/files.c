/* Files: whether two names are one file, and a new file that appears under its name when it is
 * complete. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined(_WIN32)
#include <windows.h>
/* after windows.h */
#include <io.h>
#include <process.h>
#else
#include <unistd.h>
#endif

#include "client.h"
#include "rc_system.h"

#if defined(_WIN32)

int file_exists(const char *file) {
    return GetFileAttributesA(file) != INVALID_FILE_ATTRIBUTES;
}

/* The volume and the index of a file; 0 if it cannot be opened. */
static int identify(const char *file, BY_HANDLE_FILE_INFORMATION *of) {
    const HANDLE handle =
        CreateFileA(file, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return 0;
    const int known = GetFileInformationByHandle(handle, of) != 0;
    CloseHandle(handle);
    return known;
}

int is_same_file(const char *a, const char *b) {
    BY_HANDLE_FILE_INFORMATION of_a, of_b;
    return identify(a, &of_a) && identify(b, &of_b) &&
           of_a.dwVolumeSerialNumber == of_b.dwVolumeSerialNumber &&
           of_a.nFileIndexHigh == of_b.nFileIndexHigh && of_a.nFileIndexLow == of_b.nFileIndexLow;
}

int is_replaceable(const char *file) {
    struct _stat64 of;
    return _stat64(file, &of) == 0 && (of.st_mode & _S_IFMT) == _S_IFREG;
}

static void unlink_file(const char *file) {
    _unlink(file);
}

static void close_file(int file) {
    _close(file);
}

static int open_exclusively(const char *file) {
    return _open(file, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
}

static FILE *stream_of(int file) {
    return _fdopen(file, "wb");
}

/* Gives a file its name: 0, or -1 with errno. */
static int give_name(const char *unfinished, const char *file, int overwrite) {
    if (MoveFileExA(unfinished, file, overwrite ? MOVEFILE_REPLACE_EXISTING : 0))
        return 0;
    errno = GetLastError() == ERROR_ALREADY_EXISTS ? EEXIST : EACCES;
    return -1;
}

#else

/* A link that leads nowhere exists too. */
int file_exists(const char *file) {
    struct stat of;
    return lstat(file, &of) == 0;
}

int is_same_file(const char *a, const char *b) {
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

int is_replaceable(const char *file) {
    struct stat of;
    return lstat(file, &of) == 0 && (S_ISREG(of.st_mode) || S_ISLNK(of.st_mode));
}

static void unlink_file(const char *file) {
    unlink(file);
}

static void close_file(int file) {
    close(file);
}

static int open_exclusively(const char *file) {
    return open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static FILE *stream_of(int file) {
    return fdopen(file, "wb");
}

/* Gives a file its name: 0, or -1 with errno. Without `overwrite` by a link, since only link()
 * fails if a file of this name has come in the meantime; file systems without links get rename().
 */
static int give_name(const char *unfinished, const char *file, int overwrite) {
    if (!overwrite) {
        if (link(unfinished, file) == 0)
            return unlink(unfinished);
        if (errno == EEXIST)
            return -1;
    }
    return rename(unfinished, file);
}

#endif

/* The unfinished file, for the handler of signals, which has no arguments. */
static char *unfinished;
static volatile sig_atomic_t opened = -1;

static void remove_unfinished(int number) {
    if (opened >= 0)
        close_file(opened); /* Windows removes no open file */
    unlink_file(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

static void handle_signals(void (*handler)(int)) {
    static const int numbers[] = {
        SIGINT,
        SIGTERM,
#if !defined(_WIN32)
        SIGHUP,
        SIGQUIT,
        SIGPIPE,
        SIGXCPU,
        SIGXFSZ,
#endif
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (signal(numbers[i], handler) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
}

FILE *create_file(const char *file) {
    enum { BYTES = 8 };
    unsigned char random[BYTES];
    if (rc_system_bytes(NULL, random, BYTES) != LDP_OK)
        fail(CLIENT_NO_ENTROPY,
             "The operating system gave no random bits, so nothing was released.");
    const size_t n = strlen(file) + 2 * BYTES + sizeof ".-unfinished";
    char *const name = room(n, 1);
    size_t at = (size_t)snprintf(name, n, "%s.", file);
    for (size_t i = 0; i < BYTES; i++)
        at += (size_t)snprintf(name + at, n - at, "%02x", random[i]);
    snprintf(name + at, n - at, "-unfinished");
    unfinished = name;
    handle_signals(remove_unfinished);
    opened = open_exclusively(name);
    FILE *const out = opened < 0 ? NULL : stream_of(opened);
    if (!out)
        fail(CLIENT_DATA, "'%s' cannot be written: %s.", file, strerror(errno));
    return out;
}

void finish_file(FILE *out, const char *file, int overwrite) {
    const int failed = ferror(out);
    opened = -1;
    if (fclose(out) != 0 || failed) {
        remove(unfinished);
        fail(CLIENT_DATA, "'%s' cannot be written. The disk may be full.", file);
    }
    if (give_name(unfinished, file, overwrite) != 0) {
        const int reason = errno;
        remove(unfinished);
        fail(CLIENT_DATA, "'%s' cannot be written: %s.", file, strerror(reason));
    }
    handle_signals(SIG_DFL);
    free(unfinished);
    unfinished = NULL;
}
