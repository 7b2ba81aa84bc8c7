package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import java.util.Set;
import java.util.stream.IntStream;

final class DeviceQuirks {

  /**
   * Rules for posting work requests.
   *
   * @param alwaysInline messages and writes of at most this many bytes are posted inline; 0 for none
   * @param alwaysSignalled messages and writes of at least this many bytes are signalled
   * @param readsSignalled whether all reads are signalled
   */
  record Sends(int alwaysInline, long alwaysSignalled, boolean readsSignalled) {
  }

  private static final int PAGE = 4096;
  private static final int[] INLINE_SIZES = {1024, 512, 256, 128, 64, 32, 0};
  /** Number of entries of the completion queue that covers page 144 of {@link Quirk#SIW_QUEUE_OFFSET}: 1 MiB at 32 bytes each. */
  private static final int PLACEHOLDER_ENTRIES = 32_768;

  private final VerbsDomain domain;
  private final Set<Quirk> quirks;
  private final int shortPayloads;
  private final long placeholder;

  DeviceQuirks(VerbsDomain domain) {
    this.domain = domain;
    DeviceAttributes attributes = domain.device().attributes;
    quirks = Quirk.of(attributes.vendor(), attributes.part());
    shortPayloads = quirks.contains(Quirk.SIW_SHORT_PAYLOADS) ? Quirk.SIW_SHORT_PAYLOADS.bytes : 0;
    placeholder = quirks.contains(Quirk.SIW_QUEUE_OFFSET) && attributes.maxCompletions() >= PLACEHOLDER_ENTRIES
      ? Calls.pointer(domain.verbs.createCq, domain.context, PLACEHOLDER_ENTRIES, 0, 0, 0) : 0;
  }

  Sends sends() {
    return new Sends(shortPayloads,
      quirks.contains(Quirk.SIW_LATE_TRANSMISSION) ? Quirk.SIW_LATE_TRANSMISSION.bytes : Long.MAX_VALUE,
      quirks.contains(Quirk.SIW_READS_BEHIND));
  }

  int readApart(long remoteAddress, long length) {
    int onPage = PAGE - (int) (remoteAddress & PAGE - 1);
    return length <= shortPayloads && length > onPage ? onPage : 0;
  }

  /**
   * Finds the maximum bytes that a queue pair of the device sends inline, which no attribute reports. Creates queue pairs with decreasing
   * inline sizes until the device accepts one. Begins with the known limit of the device.
   */
  int findInlineSize() {
    VerbsQueue queue = new VerbsQueue(domain, 16, 0, 0);
    try {
      ProviderException last = null;
      IntStream known = quirks.stream().filter(quirk -> quirk.kind == Quirk.Kind.INLINE_SIZE).mapToInt(quirk -> quirk.bytes).limit(1);
      for (int wanted : IntStream.concat(known, IntStream.of(INLINE_SIZES)).toArray()) {
        try {
          QueuePair pair = new QueuePair(domain, new QueuePair.Shape(domain.protectionDomain, queue.pointer, 4, 4, 1, wanted));
          pair.close();
          return Math.max(wanted, pair.inlineSize);
        } catch (ProviderException e) {
          last = e;
        }
      }
      throw last;
    } finally {
      queue.close();
    }
  }

  void close() {
    if (placeholder != 0) {
      Calls.number(domain.verbs.destroyCq, placeholder);
    }
  }
}
