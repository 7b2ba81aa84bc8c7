package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.ProviderException;

/**
 * Properties of a device that are tested when it is opened.
 *
 * @param inlineSize maximum bytes that a queue pair sends inline, which no attribute reports
 */
record VerbsSelfTest(int inlineSize, Capabilities capabilities) {
  private static final int[] INLINE = {1024, 512, 256, 128, 64, 32, 0};

  static VerbsSelfTest run(VerbsDomain domain) {
    VerbsQueue queue = new VerbsQueue(domain, 16, 0);
    try {
      return new VerbsSelfTest(inlineSize(domain, queue), capabilities(domain));
    } finally {
      queue.close();
    }
  }

  /** Devices refuse a queue pair that requests more, and return the actual number to one that requests less. */
  private static int inlineSize(VerbsDomain domain, VerbsQueue queue) {
    ProviderException last = null;
    for (int wanted : INLINE) {
      try {
        QueuePair pair = new QueuePair(domain, new QueuePair.Shape(queue.pointer, queue.pointer, 0, 4, 4, 1, wanted));
        pair.close();
        return Math.max(wanted, pair.inlineSize());
      } catch (ProviderException e) {
        last = e;
      }
    }
    throw last;
  }

  private static Capabilities capabilities(VerbsDomain domain) {
    Capabilities advertised = domain.device().capabilities();
    return domain.postSharedReceive().address() != 0 ? advertised : advertised.toBuilder().sharedReceive(false).build();
  }
}
