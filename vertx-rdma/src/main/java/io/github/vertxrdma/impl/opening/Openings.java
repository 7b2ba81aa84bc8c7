package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Reservation;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.provider.Endpoint;
import java.util.function.Supplier;

/** Makes the endpoints of streams. */
final class Openings {
  private Openings() {
  }

  static void make(LinkOpening opening, Reservation reserved, Supplier<Endpoint> maker) {
    make(opening.loop, opening.stream, reserved, maker);
  }

  /** Makes an endpoint and posts the receives reserved for it, or takes the reservation back. */
  static void make(DeviceLoop loop, FrameStream stream, Reservation reserved, Supplier<Endpoint> maker) {
    Endpoint endpoint;
    try {
      // It may have been closed while memory was registered.
      loop.checkOpen();
      endpoint = maker.get();
    } catch (RuntimeException e) {
      loop.budget.cancel(reserved);
      throw e;
    }
    stream.open(endpoint, reserved);
  }
}
