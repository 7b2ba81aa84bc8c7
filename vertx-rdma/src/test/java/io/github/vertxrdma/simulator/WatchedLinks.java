package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.simulator.world.VirtualTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Open links. Checks that the memory that each holds for its peer is bounded, and that nothing waits for ever for a peer that reads
 * nothing.
 */
final class WatchedLinks {
  /**
   * Factor of the dead timeout. A node checks its peers periodically, and gives a peer that sends rarely up later than one that sends all
   * the time.
   */
  private static final int PATIENCE = 5;

  private final VirtualTime time;
  private final Map<Link, Watched> links = new LinkedHashMap<>();

  private static final class Watched {
    final Node node;
    final IntSupplier asked;
    long since;
    long given;

    Watched(Node node, IntSupplier asked) {
      this.node = node;
      this.asked = asked;
    }
  }

  WatchedLinks(VirtualTime time) {
    this.time = time;
  }

  /** Watches the memory that a link holds. @param asked the number of service frames that its application has sent */
  void add(Node node, Link link, IntSupplier asked) {
    links.put(link, new Watched(node, asked));
  }

  String check() {
    links.keySet().removeIf(Link::isClosed);
    for (Map.Entry<Link, Watched> each : links.entrySet()) {
      Watched watched = each.getValue();
      if (!watched.node.dead) {
        String wrong = MemoryBounds.check(each.getKey(), watched.asked.getAsInt());
        wrong = wrong != null ? wrong : checkCredits(each.getKey(), watched);
        if (wrong != null) {
          return "node " + watched.node.number + ": " + wrong;
        }
      }
    }
    return null;
  }

  private String checkCredits(Link link, Watched watched) {
    FrameModel frames = Monitor.model(link.endpoint());
    if (link.waitingFrames() == 0 || !frames.lacksCredits() || frames.given() != watched.given || watched.node.host.isStopped()) {
      watched.since = time.now();
      watched.given = frames.given();
      return null;
    }
    long waited = TimeUnit.NANOSECONDS.toMillis(time.now() - watched.since);
    return waited <= (long) PATIENCE * link.loop().options.deadMillis() ? null
      : link.waitingFrames() + " frames wait for a peer that has given no credits for " + waited + " ms";
  }
}
