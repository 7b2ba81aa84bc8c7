package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.util.Map;

/**
 * Port of a device; ibv_query_port(3).
 *
 * @param mtu code of enum ibv_mtu: 1 is 256 bytes, 5 is 4096
 * @param lid 0 outside InfiniBand
 * @param link {@link VerbsLayout#LINK_INFINIBAND} or {@link VerbsLayout#LINK_ETHERNET}
 * @param speed bits per second; 0 if unknown
 */
record Port(int number, int state, int mtu, long maxMessage, int lid, int link, boolean grhRequired, long speed) {
  /** Number of lanes by enum ib_port_width of Linux. */
  private static final Map<Integer, Integer> LANES = Map.of(1, 1, 2, 4, 4, 8, 8, 12, 16, 2);
  /** Megabits per second of a lane by enum ib_port_speed of Linux. */
  private static final Map<Integer, Integer> LANE_SPEEDS = Map.of(1, 2_500, 2, 5_000, 4, 10_000, 8, 10_000, 16, 14_000, 32, 25_000, 64,
    50_000,
    128, 100_000);
  private static final String[] STATES = {"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};

  static Port query(IbVerbs verbs, long context, int number) {
    try (Scratch scratch = Scratch.of(PORT_ROOM)) {
      long attributes = scratch.address();
      if (Calls.number(verbs.queryPort, context, number, attributes) != 0) {
        return null;
      }
      return new Port(number, Memory.getInt(attributes + PORT_STATE), Memory.getInt(attributes + PORT_ACTIVE_MTU),
        Integer.toUnsignedLong(Memory.getInt(attributes + PORT_MAX_MSG)), Memory.getShort(attributes + PORT_LID) & 0xffff,
        Memory.getByte(attributes + PORT_LINK_LAYER), (Memory.getByte(attributes + PORT_FLAGS) & PORT_GRH_REQUIRED) != 0,
        1_000_000L * LANES.getOrDefault(Memory.getByte(attributes + PORT_ACTIVE_WIDTH) & 0xff, 0)
          * LANE_SPEEDS.getOrDefault(Memory.getByte(attributes + PORT_ACTIVE_SPEED) & 0xff, 0));
    }
  }

  boolean active() {
    return state == PORT_IS_ACTIVE;
  }

  String stateName() {
    return state >= 0 && state < STATES.length ? STATES[state] : Integer.toString(state);
  }
}
