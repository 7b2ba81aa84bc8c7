package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.ProviderException;

/**
 * What a device really does, tried when it is opened.
 *
 * @param inlineSize the most bytes that a queue pair sends inline; no attribute tells
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

  /** Devices refuse a queue pair that asks for more, and give what they have to one that asks for less. */
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
