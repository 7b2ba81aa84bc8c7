package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.CmLayout.*;

import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Copy of an acknowledged connection manager event; rdma_get_cm_event(3).
 *
 * @param status negative errno, or the reason of a rejection
 * @param readsAsTarget maximum reads of the peer in flight on this side
 * @param readsAsInitiator maximum reads of this side in flight at the peer
 */
record CmEvent(long id, long listenId, int type, int status, byte[] privateData, int readsAsTarget, int readsAsInitiator) {

  static CmEvent copy(long event) {
    int type = Memory.getInt(event + EVENT_TYPE);
    boolean hasData = type == CONNECT_REQUEST || type == CONNECT_RESPONSE || type == ESTABLISHED || type == REJECTED;
    long data = hasData ? Memory.getLong(event + EVENT_DATA) : 0;
    int length = data == 0 ? 0 : Memory.getByte(event + EVENT_DATA_LENGTH) & 0xff;
    return new CmEvent(Memory.getLong(event + EVENT_ID), Memory.getLong(event + EVENT_LISTEN_ID), type, Memory.getInt(event + EVENT_STATUS),
      length == 0 ? CmPrivateData.NONE : Memory.getBytes(data, length), Memory.getByte(event + EVENT_RESPONDER_READS) & 0xff,
      Memory.getByte(event + EVENT_INITIATOR_READS) & 0xff);
  }
}
