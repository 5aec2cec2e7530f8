/* The program as a process: started, fed and heard through pipes, none of which waits. R has no call for this that
   keeps the rows out of files: system2(input =) writes one, and a fifo of R does not say what it could not write. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

extern char **environ;

/* to is the program's standard input, from its output and its errors; -1 is a pipe that was closed. */
typedef struct { pid_t pid; int to, from[2], ended, status; } process;

static process *of(SEXP handle)
{
    process *p = R_ExternalPtrAddr(handle);
    if (!p) error("the program has ended");
    return p;
}

static void shut(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* reap notes how the program ended, if it has. */
static void reap(process *p, int how)
{
    pid_t r;
    if (p->ended) return;
    do r = waitpid(p->pid, &p->status, how); while (r < 0 && errno == EINTR);
    if (r == p->pid) p->ended = 1;
    if (r < 0) { p->ended = 1; p->status = 70 << 8; }
}

/* finish ends the program: an interrupt, which leaves its files whole, and the kill signal after five seconds. It is
   killed at once where kill is true: before its input ends, so that half a table does not look like a whole one. */
static void finish(process *p, int now)
{
    struct timespec pause = { 0, 10000000 };
    reap(p, WNOHANG);
    if (!p->ended) kill(p->pid, now ? SIGKILL : SIGINT);
    for (int i = 0; i < 500 && !p->ended && !now; i++) {
        nanosleep(&pause, NULL);
        reap(p, WNOHANG);
    }
    if (!p->ended) kill(p->pid, SIGKILL);
    reap(p, 0);
    shut(&p->to);
    shut(&p->from[0]);
    shut(&p->from[1]);
}

static void collected(SEXP handle)
{
    process *p = R_ExternalPtrAddr(handle);
    if (!p) return;
    R_ClearExternalPtr(handle);
    finish(p, 1);
    free(p);
}

/* start runs a program with its arguments. The answer is a handle, or the number of the system's error. */
static SEXP start(SEXP line)
{
    int n = LENGTH(line), pipes[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } }, failed = 0;
    char **argv = (char **) R_alloc(n + 1, sizeof *argv);
    for (int i = 0; i < n; i++) argv[i] = (char *) CHAR(STRING_ELT(line, i));
    argv[n] = NULL;
    process *p = calloc(1, sizeof *p);
    if (!p) error("no memory");
    SEXP handle = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    for (int k = 0; k < 3 && !failed; k++) {
        if (pipe(pipes[k]) < 0) { failed = errno; break; }
        fcntl(pipes[k][0], F_SETFD, FD_CLOEXEC);
        fcntl(pipes[k][1], F_SETFD, FD_CLOEXEC);
        fcntl(pipes[k][k == 0], F_SETFL, O_NONBLOCK);
        failed = posix_spawn_file_actions_adddup2(&files, pipes[k][k > 0], k);
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    setenv("PRIVBAYES_PIPE", "marked", 1);
    if (!failed) failed = posix_spawn(&p->pid, argv[0], &files, &attributes, argv, environ);
    unsetenv("PRIVBAYES_PIPE");
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    for (int k = 0; k < 3; k++) {
        shut(&pipes[k][k > 0]);
        if (failed) shut(&pipes[k][k == 0]);
    }
    if (failed) {
        free(p);
        UNPROTECT(1);
        return ScalarInteger(failed);
    }
    p->to = pipes[0][1];
    p->from[0] = pipes[1][0];
    p->from[1] = pipes[2][0];
    R_SetExternalPtrAddr(handle, p);
    R_RegisterCFinalizerEx(handle, collected, TRUE);
    UNPROTECT(1);
    return handle;
}

/* step waits at most a tenth of a second for a pipe, writes what fits of bytes from an offset on, and reads what is
   there. The answer: the new offset, output, errors, and whether both have ended. Without bytes the input is closed. */
static SEXP step(SEXP handle, SEXP bytes, SEXP offset)
{
    process *p = of(handle);
    size_t at = (size_t) asReal(offset);
    if (bytes == R_NilValue) shut(&p->to);
    struct pollfd on[3] = { { p->to, POLLOUT, 0 }, { p->from[0], POLLIN, 0 }, { p->from[1], POLLIN, 0 } };
    poll(on, 3, 100);
    if (on[0].revents) {
        struct sigaction ignore, before;
        memset(&ignore, 0, sizeof ignore);
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &ignore, &before);
        ssize_t wrote = write(p->to, RAW(bytes) + at, (size_t) XLENGTH(bytes) - at);
        int why = errno;
        sigaction(SIGPIPE, &before, NULL);
        if (wrote > 0) at += (size_t) wrote;
        if (wrote < 0 && why != EAGAIN && why != EINTR) shut(&p->to); /* the program refused early: it says why */
    }
    if (p->to < 0 && bytes != R_NilValue) at = (size_t) XLENGTH(bytes);
    SEXP answer = PROTECT(allocVector(VECSXP, 5));
    for (int k = 0; k < 2; k++) {
        static char buffer[1 << 16];
        ssize_t got = -1;
        if (p->from[k] >= 0 && on[k + 1].revents) {
            got = read(p->from[k], buffer, sizeof buffer);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) shut(&p->from[k]);
        }
        SEXP said = allocVector(RAWSXP, got > 0 ? got : 0);
        SET_VECTOR_ELT(answer, k + 1, said);
        if (got > 0) memcpy(RAW(said), buffer, (size_t) got);
    }
    SET_VECTOR_ELT(answer, 0, ScalarReal((double) at));
    SET_VECTOR_ELT(answer, 3, ScalarLogical(p->from[0] < 0 && p->from[1] < 0));
    SET_VECTOR_ELT(answer, 4, ScalarLogical(p->to >= 0));
    UNPROTECT(1);
    return answer;
}

/* end waits for the program, or ends it: how is 0 to wait, 1 to interrupt it and 2 to kill it. The answer is its exit
   code, or the signal that ended it, below 0. */
static SEXP end(SEXP handle, SEXP how)
{
    process *p = R_ExternalPtrAddr(handle);
    if (!p) return R_NilValue;
    if (asInteger(how)) finish(p, asInteger(how) == 2);
    else reap(p, WNOHANG);
    if (!p->ended) return R_NilValue;
    int status = WIFEXITED(p->status) ? WEXITSTATUS(p->status) : -WTERMSIG(p->status);
    collected(handle);
    return ScalarInteger(status);
}

static const R_CallMethodDef calls[] = {
    { "start", (DL_FUNC) &start, 1 }, { "step", (DL_FUNC) &step, 3 }, { "end", (DL_FUNC) &end, 2 }, { NULL, NULL, 0 } };

void R_init_privbayes(DllInfo *info)
{
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
}
