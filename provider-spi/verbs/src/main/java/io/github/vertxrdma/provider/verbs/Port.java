package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Port of a device; ibv_query_port(3).
 *
 * @param number from 1
 * @param state ibv_port_state
 * @param mtu active MTU as ibv_mtu: 1 is 256 bytes, 5 is 4096
 * @param maxMessage bytes of one message
 * @param lid local identifier, 0 outside InfiniBand
 * @param link {@link VerbsLayout#LINK_INFINIBAND} or {@link VerbsLayout#LINK_ETHERNET}
 */
record Port(int number, int state, int mtu, long maxMessage, int lid, int link) {
  private static final String[] STATES = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};

  /** Queries a port. @return null if that fails */
  static Port query(IbVerbs verbs, long context, int number) {
    long attributes = Memory.allocate(PORT_ROOM);
    try {
      if (Calls.number(verbs.queryPort, context, number, attributes) != 0) {
        return null;
      }
      return new Port(number, Memory.getInt(attributes + PORT_STATE), Memory.getInt(attributes + PORT_ACTIVE_MTU),
        Integer.toUnsignedLong(Memory.getInt(attributes + PORT_MAX_MSG)), Memory.getShort(attributes + PORT_LID) & 0xffff,
        Memory.getByte(attributes + PORT_LINK_LAYER));
    } finally {
      Memory.free(attributes);
    }
  }

  boolean active() {
    return state == PORT_IS_ACTIVE;
  }

  String stateName() {
    return state >= 0 && state < STATES.length ? STATES[state] : Integer.toString(state);
  }
}
