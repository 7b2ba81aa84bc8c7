package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;

/**
 * Partition key of a port's queue pairs; ibv_query_pkey(3). iWARP has none.
 *
 * @param value key with the membership bit, which both ends compare
 */
record PartitionKey(int index, int value) {
  private static final int TABLE = 128;
  private static final int NUMBER = 0x7fff;
  private static final int FULL = 0x8000;
  private static final PartitionKey DEFAULT = new PartitionKey(0, 0xffff);

  /**
   * Reads the port's table, which the subnet manager may change at any time. Returns the key of the setting {@code verbs.pkey}, otherwise
   * the first of the table. Full members precede limited ones, which cannot communicate with each other (IBTA specification, volume 1,
   * 10.9.3).
   */
  static PartitionKey find(VerbsDomain domain) {
    VerbsDevice device = domain.device();
    String wanted = device.options.setting("verbs.pkey", null);
    if (device.attributes.iwarp()) {
      return DEFAULT;
    }
    int number = wanted == null ? 0 : number(wanted) & NUMBER;
    PartitionKey limited = null;
    try (Scratch key = Scratch.of(8)) {
      for (int index = 0; index < TABLE; index++) {
        if (Calls.number(domain.verbs.queryPkey, domain.context, device.port.number(), index, key.address()) != 0) {
          break;
        }
        int value = (Memory.getByte(key.address()) & 0xff) << 8 | Memory.getByte(key.address() + 1) & 0xff;
        // An unused entry has the number 0.
        if ((value & NUMBER) != 0 && (wanted == null || (value & NUMBER) == number)) {
          PartitionKey found = new PartitionKey(index, value);
          if ((value & FULL) != 0) {
            return found;
          }
          limited = limited == null ? found : limited;
        }
      }
    }
    if (limited != null) {
      return limited;
    }
    if (wanted == null) {
      return DEFAULT;
    }
    throw new ProviderException(ProviderException.Reason.INVALID, "port " + device.port.number() + " of " + device.name()
      + " is not in partition " + wanted + " (setting verbs.pkey)");
  }

  private static int number(String wanted) {
    try {
      return Integer.decode(wanted.trim());
    } catch (NumberFormatException e) {
      throw new ProviderException(ProviderException.Reason.INVALID, "verbs.pkey is '" + wanted + "'; it must be a number, such as 0x8001");
    }
  }
}
