package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import java.util.stream.IntStream;

/** Finds the maximum bytes that a queue pair of a device sends inline, which no attribute reports. */
final class InlineSearch {
  private static final int[] SIZES = {1024, 512, 256, 128, 64, 32, 0};

  private InlineSearch() {
  }

  /** Creates queue pairs with decreasing inline sizes until the device accepts one. */
  static int find(VerbsDomain domain) {
    VerbsQueue queue = new VerbsQueue(domain, 16, 0, 0);
    try {
      ProviderException last = null;
      int known = domain.quirks.inlineSize();
      for (int wanted : known == 0 ? SIZES : IntStream.concat(IntStream.of(known), IntStream.of(SIZES)).toArray()) {
        try {
          QueuePair pair = new QueuePair(domain, new QueuePair.Shape(domain.protectionDomain, queue.pointer, 4, 4, 1,
            wanted));
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
}
