/* The exchange of ranks over MPI: reductions, one number to each rank, and words to the ranks that
 * get some. In: a communicator. Out: a kugel_exchange. Order: the order in which messages arrive
 * does not matter, since each has its place. Cost: one collective call, or one message to each
 * neighbour. */
#include <stdlib.h>
#include <string.h>

#include <kugel/mpi.h>

/* MPI counts in int: longer messages are sent in parts. */
enum { PART = 1 << 28 };

typedef struct context {
    MPI_Comm communicator;
    int rank, count;
    MPI_Request *requests;
    size_t request_capacity;
} context;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static MPI_Op operation_of(kugel_reduction operation)
{
    if (operation == KUGEL_REDUCE_SUM) return MPI_SUM;
    return operation == KUGEL_REDUCE_MIN ? MPI_MIN : MPI_MAX;
}

static kugel_status reduce(void *user, kugel_reduction operation, uint64_t *values, size_t count)
{
    const context *c = user;
    for (size_t from = 0; from < count; from += PART) {
        if (MPI_Allreduce(MPI_IN_PLACE, values + from, (int)smaller(count - from, PART),
                          MPI_UINT64_T, operation_of(operation), c->communicator) != MPI_SUCCESS)
            return KUGEL_ERROR_IO;
    }
    return KUGEL_OK;
}

static kugel_status numbers(void *user, const uint64_t *sent, uint64_t *received)
{
    const context *c = user;
    return MPI_Alltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, c->communicator) ==
                   MPI_SUCCESS
               ? KUGEL_OK
               : KUGEL_ERROR_IO;
}

/* Number of messages, of at most PART words each, for other ranks. */
static size_t count_messages(const context *c, const uint64_t *words)
{
    size_t messages = 0;
    for (int r = 0; r < c->count; ++r)
        messages += r == c->rank ? 0 : ((size_t)words[r] + PART - 1) / PART;
    return messages;
}

static bool reserve_requests(context *c, size_t need)
{
    if (need <= c->request_capacity) return true;
    MPI_Request *larger = realloc(c->requests, need * sizeof *larger);
    if (!larger) return false;
    c->requests = larger;
    c->request_capacity = need;
    return true;
}

/* Start to send to one rank or, without `sent`, to receive from it. */
static bool start(const context *c, int rank, const uint64_t *sent, uint64_t *received,
                  size_t words, size_t *started)
{
    bool ok = true;
    for (size_t from = 0; from < words && ok; from += PART) {
        int part = (int)smaller(words - from, PART);
        MPI_Request *request = &c->requests[(*started)++];
        ok = (sent ? MPI_Isend(sent + from, part, MPI_UINT64_T, rank, 0, c->communicator, request)
                   : MPI_Irecv(received + from, part, MPI_UINT64_T, rank, 0, c->communicator,
                               request)) == MPI_SUCCESS;
    }
    return ok;
}

static kugel_status words(void *user, const uint64_t *sent, const uint64_t *sent_words,
                          uint64_t *received, const uint64_t *received_words)
{
    context *c = user;
    size_t started = 0, from = 0, to = 0;
    bool ok =
        reserve_requests(c, count_messages(c, sent_words) + count_messages(c, received_words));
    /* a rank that gave up before its messages would leave the others waiting */
    if (!ok) MPI_Abort(c->communicator, 1);
    for (int r = 0; r < c->count && ok; ++r) {
        bool sends = sent_words[r],
             receives = received_words[r]; /* buffers without words may be NULL */
        if (r != c->rank)
            ok = (!receives || start(c, r, NULL, received + to, received_words[r], &started)) &&
                 (!sends || start(c, r, sent + from, NULL, sent_words[r], &started));
        else if (sends) memcpy(received + to, sent + from, sent_words[r] * sizeof *sent);
        from += sent_words[r], to += received_words[r];
    }
    ok = ok && MPI_Waitall((int)started, c->requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS;
    return ok ? KUGEL_OK : KUGEL_ERROR_IO;
}

kugel_status kugel_exchange_mpi_create(MPI_Comm communicator, kugel_exchange *exchange)
{
    if (!exchange) return KUGEL_ERROR_INVALID_ARGUMENT;
    context *c = calloc(1, sizeof *c);
    if (!c) return KUGEL_ERROR_OUT_OF_MEMORY;
    if (MPI_Comm_dup(communicator, &c->communicator) != MPI_SUCCESS) {
        free(c);
        return KUGEL_ERROR_IO;
    }
    MPI_Comm_set_errhandler(c->communicator, MPI_ERRORS_RETURN);
    MPI_Comm_rank(c->communicator, &c->rank);
    MPI_Comm_size(c->communicator, &c->count);
    *exchange = (kugel_exchange){.rank = (uint32_t)c->rank,
                                 .count = (uint32_t)c->count,
                                 .context = c,
                                 .reduce = reduce,
                                 .numbers = numbers,
                                 .words = words};
    return KUGEL_OK;
}

void kugel_exchange_mpi_free(kugel_exchange *exchange)
{
    if (!exchange || !exchange->context) return;
    context *c = exchange->context;
    MPI_Comm_free(&c->communicator);
    free(c->requests);
    free(c);
    *exchange = (kugel_exchange){0};
}
