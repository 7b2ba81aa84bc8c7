package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ffi.Memory;

/** Reads entries of struct ibv_wc into a batch. The opcode of a failed entry is undefined, so it is not read; ibv_poll_cq(3). */
final class CompletionReader {
  private CompletionReader() {
  }

  static void read(Owners owners, long wc, CompletionBatch batch) {
    long id = Memory.getLong(wc + WC_WR_ID);
    int status = Memory.getInt(wc + WC_STATUS);
    Owners.Owner owner = owners.find(id);
    int slot = (int) id & Owners.SLOT;
    boolean receive = (id & Owners.RECEIVE) != 0;
    if (owner instanceof VerbsEndpoint endpoint) {
      if (receive) {
        endpoint.receives().completed(slot, wc, status, batch);
      } else if (slot == ExchangedConnection.PROBE) {
        endpoint.probed(status, Memory.getInt(wc + WC_VENDOR_ERROR));
      } else {
        endpoint.sends().completed(slot, status, status == 0 ? 0 : Memory.getInt(wc + WC_VENDOR_ERROR), batch);
      }
    } else if (owner instanceof VerbsReceiveQueue shared) {
      shared.completed(slot, wc, status, batch);
    }
  }

  static void received(VerbsEndpoint endpoint, long requestId, long wc, CompletionBatch batch) {
    boolean write = Memory.getInt(wc + WC_OPCODE) == WC_RECV_WRITE_IMMEDIATE;
    Operation operation = write ? Operation.REMOTE_WRITE : Operation.RECEIVE;
    int entry = batch.add(requestId, operation, endpoint, Integer.toUnsignedLong(Memory.getInt(wc + WC_BYTES)));
    if ((Memory.getInt(wc + WC_FLAGS) & WC_WITH_IMMEDIATE) != 0) {
      batch.immediate(entry, Integer.toUnsignedLong(Integer.reverseBytes(Memory.getInt(wc + WC_IMMEDIATE))));
    }
    endpoint.counters().succeeded(operation);
  }

  /** @param endpoint null if its queue pair was destroyed */
  static void receiveFailed(VerbsEndpoint endpoint, long requestId, long wc, int status, CompletionBatch batch) {
    int vendorError = Memory.getInt(wc + WC_VENDOR_ERROR);
    int entry = batch.add(requestId, Operation.RECEIVE, endpoint, 0);
    WorkStatus why = WorkStatus.of(status, true, false);
    batch.error(entry, why.status, why.describe(status, vendorError));
    if (endpoint != null) {
      endpoint.workFailed(Operation.RECEIVE, why, why.describe(status, vendorError));
    }
  }
}
