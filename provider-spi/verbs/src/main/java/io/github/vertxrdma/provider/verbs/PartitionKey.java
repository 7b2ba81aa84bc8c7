package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Partition of a port's queue pairs; ibv_query_pkey(3). iWARP has none.
 *
 * @param index in the port's table, which may differ on each host
 * @param value the key itself, by which two ends compare partitions
 */
record PartitionKey(int index, int value) {
  private static final int TABLE = 128;
  /** Bits of a key without the bit for full membership. */
  private static final int NUMBER = 0x7fff;

  /** Returns the partition of the setting {@code verbs.pkey}, otherwise the first. */
  static PartitionKey find(VerbsDomain domain) {
    String wanted = domain.device().options.setting("verbs.pkey", null);
    if (domain.device().attributes.iwarp()) {
      return new PartitionKey(0, 0xffff);
    }
    int number = wanted == null ? 0 : number(wanted) & NUMBER;
    long key = Memory.allocate(8);
    try {
      for (int index = 0; index < TABLE; index++) {
        if (Calls.number(domain.verbs().queryPkey, domain.context(), domain.device().port.number(), index, key) != 0) {
          break;
        }
        // network byte order
        int value = (Memory.getByte(key) & 0xff) << 8 | Memory.getByte(key + 1) & 0xff;
        if (wanted == null || (value & NUMBER) == number) {
          return new PartitionKey(index, value);
        }
      }
    } finally {
      Memory.free(key);
    }
    if (wanted == null) {
      return new PartitionKey(0, 0xffff);
    }
    throw new ProviderException(ProviderException.Reason.INVALID,
      "port " + domain.device().port.number() + " of " + domain.device().name() + " is not in partition " + wanted
        + " (setting verbs.pkey)");
  }

  private static int number(String wanted) {
    try {
      return Integer.decode(wanted.trim());
    } catch (NumberFormatException e) {
      throw new ProviderException(ProviderException.Reason.INVALID, "verbs.pkey is '" + wanted + "'; it must be a number, such as 0x8001");
    }
  }
}
