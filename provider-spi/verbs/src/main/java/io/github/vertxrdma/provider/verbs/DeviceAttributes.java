package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;

/**
 * Attributes that a device reports; ibv_query_device(3).
 *
 * @param readsAsTarget maximum reads and atomics of a peer in flight on one queue pair
 * @param readsAsInitiator maximum reads and atomics of this side in flight on one queue pair
 */
record DeviceAttributes(boolean iwarp, int vendor, int part, long maxRegionSize, int maxQueuePairs, int maxWorkRequests,
  int maxScatterGather, int maxCompletions, int maxRegions, int readsAsTarget, int readsAsInitiator, boolean atomics, int ports) {

  static DeviceAttributes query(IbVerbs verbs, long device, long context) {
    try (Scratch scratch = Scratch.of(ATTR_ROOM)) {
      long attributes = scratch.address();
      if (Calls.number(verbs.queryDevice, context, attributes) != 0) {
        return null;
      }
      long size = Memory.getLong(attributes + ATTR_MAX_MR_SIZE);
      return new DeviceAttributes(Memory.getInt(device + DEVICE_TRANSPORT) == TRANSPORT_IWARP,
        Memory.getInt(attributes + ATTR_VENDOR_ID), Memory.getInt(attributes + ATTR_VENDOR_PART),
        size <= 0 ? Long.MAX_VALUE : size,
        positive(attributes + ATTR_MAX_QP), positive(attributes + ATTR_MAX_QP_WR), positive(attributes + ATTR_MAX_SGE),
        positive(attributes + ATTR_MAX_CQE), positive(attributes + ATTR_MAX_MR),
        // At most 255, because the connection manager's messages have one byte for each number.
        Math.clamp(Memory.getInt(attributes + ATTR_MAX_QP_RD_ATOM), 1, 255),
        Math.clamp(Memory.getInt(attributes + ATTR_MAX_QP_INIT_RD_ATOM), 1, 255),
        Memory.getInt(attributes + ATTR_ATOMIC_CAP) != ATOMIC_NONE,
        Memory.getByte(attributes + ATTR_PORTS) & 0xff);
    }
  }

  private static int positive(long at) {
    int value = Memory.getInt(at);
    return value <= 0 ? Integer.MAX_VALUE : value;
  }
}
