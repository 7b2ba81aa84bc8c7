package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.provider.Endpoint;
import java.util.function.Supplier;

/** Makes the endpoints of streams. */
final class Openings {
  private Openings() {
  }

  /** Makes an endpoint and posts the receives reserved for it, or gives them back. @param slots set aside for them */
  static void make(FrameStream stream, int slots, Supplier<Endpoint> maker) {
    Endpoint endpoint;
    try {
      // It may have been closed while memory was registered.
      stream.loop.checkOpen();
      endpoint = maker.get();
    } catch (RuntimeException e) {
      stream.loop.budget.cancel(slots);
      throw e;
    }
    stream.open(endpoint, slots);
  }
}
