package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.CmLayout.*;

import io.github.vertxrdma.provider.ffi.Memory;
import java.util.EnumSet;
import java.util.Set;

/**
 * Copy of an acknowledged connection manager event; rdma_get_cm_event(3).
 *
 * @param number type of the event as the library reports it
 * @param status negative errno, or the reason of a rejection
 * @param readsAsTarget maximum reads of the peer in flight on this side
 * @param readsAsInitiator maximum reads of this side in flight at the peer
 */
record CmEvent(long id, long listenId, Type type, int number, int status, byte[] privateData, int readsAsTarget, int readsAsInitiator) {

  /** Types of events in the order of enum rdma_cm_event_type. */
  enum Type {
    ADDR_RESOLVED, ADDR_ERROR, ROUTE_RESOLVED, ROUTE_ERROR, CONNECT_REQUEST, CONNECT_RESPONSE, CONNECT_ERROR, UNREACHABLE, REJECTED,
    ESTABLISHED, DISCONNECTED, DEVICE_REMOVAL, MULTICAST_JOIN, MULTICAST_ERROR, ADDR_CHANGE, TIMEWAIT_EXIT,
    /** Type of a newer librdmacm. */
    UNKNOWN;

    private static final Type[] ALL = values();
    private static final Set<Type> WITH_DATA = EnumSet.of(CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED);
  }

  static CmEvent copy(long event) {
    int number = Memory.getInt(event + EVENT_TYPE);
    Type type = number >= 0 && number < Type.ALL.length ? Type.ALL[number] : Type.UNKNOWN;
    boolean hasData = Type.WITH_DATA.contains(type);
    long data = hasData ? Memory.getLong(event + EVENT_DATA) : 0;
    int length = data == 0 ? 0 : Memory.getByte(event + EVENT_DATA_LENGTH) & 0xff;
    return new CmEvent(Memory.getLong(event + EVENT_ID), Memory.getLong(event + EVENT_LISTEN_ID), type, number,
      Memory.getInt(event + EVENT_STATUS), length == 0 ? CmPrivateData.NONE : Memory.getBytes(data, length),
      Memory.getByte(event + EVENT_RESPONDER_READS) & 0xff,
      Memory.getByte(event + EVENT_INITIATOR_READS) & 0xff);
  }
}
