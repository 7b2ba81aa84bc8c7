package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.PeerDeath;
import io.github.vertxrdma.impl.events.FlightEvents;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkAttempt;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.opening.Refusals;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.impl.wire.Greeting;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The open links of a node by peer: the first to a peer asks for the control connection that tells of its death, and its death ends them
 * all. Thread-safe.
 */
final class PeerLinks implements LinkWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);
  /** Kind of control messages. */
  private static final int SILENT = 7;
  private static final long RETRY_MILLIS = 500;
  /** Attempts to connect to a peer's control address after which the log says that there is no control connection. */
  private static final int ATTEMPTS = 5;
  /** Peers whose end is remembered, so that it is logged once. */
  private static final int MOST_ENDED = 64;
  /** Milliseconds in which operations that failed with connections of one peer are counted for one line of the log. */
  private static final long REPORT_MILLIS = 500;

  private final Refusals deaths = new Refusals(LOG, System::nanoTime);
  private final DirectoryBackend directory;
  private final Troubles troubles;
  private final Map<String, Set<Link>> links = new ConcurrentHashMap<>();
  private final Set<LinkAttempt> attempts = ConcurrentHashMap.newKeySet();
  /** Control connections over which a node was asked whether its loops run, and has not answered, by node id. */
  private final Map<String, ControlLink> questions = new ConcurrentHashMap<>();
  /** Names of peers with a control connection, by node id: when a peer has ended, the directory does not know it any more. */
  private final Map<String, String> names = new ConcurrentHashMap<>();
  /** Operations that failed with the connections of a peer and are not reported yet, by node id. */
  private final Map<String, Integer> failed = new ConcurrentHashMap<>();
  /** Node ids of the peers whose end was logged last and that have not come back. Guarded by itself. */
  private final LinkedHashSet<String> ended = new LinkedHashSet<>();
  private final Consumer<Link> lost;
  private volatile ControlLinks control;

  /** @param lost hears of links that broke, on their loop */
  PeerLinks(DirectoryBackend directory, Troubles troubles, Consumer<Link> lost) {
    this.directory = directory;
    this.troubles = troubles;
    this.lost = lost;
  }

  void control(ControlLinks value) {
    control = value;
    value.messageHandler(SILENT, (link, message) -> {
      if (message.length() == 0) {
        answer(link);
      } else {
        questions.remove(link.nodeId(), link);
        each(link.nodeId(), with -> true, Link::cutOff);
      }
    });
  }

  /** Asks a peer over all links with it, then says so: from now on a link over which nothing comes is cut. */
  private void answer(ControlLink asking) {
    List<Link> with = with(asking.nodeId(), link -> true);
    AtomicInteger left = new AtomicInteger(with.size());
    Runnable done = () -> asking.send(SILENT, Buffer.buffer(new byte[1]));
    if (with.isEmpty()) {
      done.run();
    }
    with.forEach(link -> link.loop().eventLoop().execute(() -> {
      link.ping();
      if (left.decrementAndGet() == 0) {
        done.run();
      }
    }));
  }

  @Override
  public void connecting(LinkAttempt attempt) {
    attempts.add(attempt);
  }

  @Override
  public void settled(LinkAttempt attempt) {
    attempts.remove(attempt);
  }

  @Override
  public void opened(Link link) {
    String peer = link.peer().nodeId();
    FlightEvents.connection(peer, link.name(), link.loop().domain.device().name(), true, null);
    boolean[] first = {false};
    links.compute(peer, (id, set) -> {
      first[0] = set == null;
      Set<Link> all = set == null ? new HashSet<>() : set;
      all.add(link);
      return all;
    });
    if (first[0]) {
      synchronized (ended) {
        ended.remove(peer);
      }
    }
    if (first[0] && !peer.equals(directory.nodeId())) {
      watch(link.peer(), link.loop().eventLoop(), 1);
    }
  }

  /** Asks for the control connection, and again as long as it cannot be had and there are links. */
  private void watch(Greeting greeting, EventLoop loop, int attempt) {
    NodeEntry entry = entry(greeting);
    if (entry.controlPort() == 0) {
      return;
    }
    control.link(entry).onSuccess(with -> names.put(entry.nodeId(), with.peer().name())).onFailure(cause -> {
      if (!links.containsKey(entry.nodeId())) {
        return;
      }
      if (cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException)) {
        // Nobody listens there: it may have died before there was a control connection to tell of it.
        each(entry.nodeId(), link -> true, link -> link.suspect(unreachable(cause)));
      }
      loop.schedule(() -> watch(greeting, loop, attempt + 1), RETRY_MILLIS * Math.min(attempt, 2 * ATTEMPTS), TimeUnit.MILLISECONDS);
      if (attempt == ATTEMPTS) {
        LOG.warn("There is no control connection with node " + words(entry.nodeId()) + ", so its death is noticed when it is silent and its"
          + " control address neither answers: " + cause.getMessage() + ". Open that port in firewalls between the two nodes");
      }
    });
  }

  private static String unreachable(Throwable cause) {
    return "it does not answer, and its control address neither: " + cause.getMessage();
  }

  /** The peer as the directory has it; as it introduced itself if it is not there (yet), or not with a control address. */
  private NodeEntry entry(Greeting greeting) {
    return directory.node(greeting.nodeId()).filter(known -> known.epoch() == greeting.epoch() && known.controlPort() != 0)
      .orElseGet(() -> new NodeEntry(greeting.nodeId(), greeting.epoch(), ProcessIdentity.UNKNOWN, greeting.controlHost(),
        greeting.controlPort(), "", "", List.of(), ""));
  }

  /**
   * Asks a peer over the links with one of its devices; those that do not answer within a second end. Those that are being made are given
   * up.
   *
   * @param why for messages
   */
  void suspect(String peer, String device, String why) {
    // A peer that speaks version 4 has not named its device.
    each(peer, link -> link.peer().device().isEmpty() || link.peer().device().equals(device), link -> link.suspect(why));
    attempts.stream().filter(attempt -> attempt.isTo(peer, device)).forEach(attempt -> attempt.giveUp(why));
  }

  /** Ends the links with one of a peer's devices, of which the peer has ended its side. @param why for messages */
  void ended(String peer, String device, String why) {
    each(peer, link -> link.peer().device().equals(device), link -> link.peerEnded(why));
  }

  /** Does that on the loops of the links with a peer for which the condition holds. */
  private void each(String peer, Predicate<Link> condition, Consumer<Link> action) {
    with(peer, condition).forEach(link -> link.loop().eventLoop().execute(() -> action.accept(link)));
  }

  private List<Link> with(String peer, Predicate<Link> condition) {
    List<Link> with = new ArrayList<>();
    links.computeIfPresent(peer, (id, set) -> {
      set.stream().filter(condition).forEach(with::add);
      return set;
    });
    return with;
  }

  /**
   * Looks for what became of a silent peer. A path may be cut one way, or for one connection alone, so the peer is asked over the control
   * connection. While that is silent too the process is stopped, or the control connection finds its death.
   */
  @Override
  public void silent(Link link) {
    NodeEntry entry = entry(link.peer());
    if (entry.controlPort() == 0) {
      link.suspect("nothing came over it for too long, and the peer has no control address to ask at");
      return;
    }
    control.link(entry).onSuccess(with -> {
      if (!with.isSuspected() && questions.put(entry.nodeId(), with) != with) {
        with.send(SILENT, Buffer.buffer());
      }
    }).onFailure(cause -> {
      if (cause instanceof ConnectException) {
        link.loop().eventLoop().execute(() -> link.suspect(unreachable(cause)));
      }
    });
  }

  @Override
  public void closed(Link link, Throwable cause) {
    FlightEvents.connection(link.peer().nodeId(), link.name(), link.loop().domain.device().name(), false, cause);
    if (cause != null) {
      troubles.lost(cause);
      lost.accept(link);
      if (link.failedOperations() > 0) {
        failed(link, cause);
      }
    }
    String peer = link.peer().nodeId();
    boolean[] last = {false};
    links.computeIfPresent(peer, (id, set) -> {
      last[0] = set.remove(link) && set.isEmpty();
      return set.isEmpty() ? null : set;
    });
    if (last[0] && link.hasPeerEnded() && !names.containsKey(peer) && isNews(peer)) {
      // It ended before there was a control connection.
      LOG.info("Node " + NodeName.words(link.peerName(), peer) + " has ended: its process ended");
    }
  }

  /** Returns true the first time that the end of a peer is found, until it comes back. */
  private boolean isNews(String peer) {
    synchronized (ended) {
      if (!ended.add(peer)) {
        return false;
      }
      if (ended.size() > MOST_ENDED) {
        ended.removeFirst();
      }
      return true;
    }
  }

  /** Counts the operations that failed with a link. One line of the log reports them for all links with the peer. */
  private void failed(Link link, Throwable cause) {
    String peer = link.peer().nodeId();
    String words = NodeName.words(link.peerName(), peer);
    if (failed.merge(peer, link.failedOperations(), Integer::sum) > link.failedOperations()) {
      return;
    }
    Runnable report = () -> {
      Integer count = failed.remove(peer);
      if (count != null) {
        LOG.warn(count + " operations with node " + words + " failed: " + cause.getMessage());
      }
    };
    try {
      link.loop().eventLoop().schedule(report, REPORT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The event loop is being shut down.
      report.run();
    }
  }

  @Override
  public boolean reportsDeath(Link link) {
    return link.peer().controlPort() != 0 && !link.peer().nodeId().equals(directory.nodeId());
  }

  @Override
  public String nameOf(String nodeId) {
    return directory.node(nodeId).map(NodeEntry::name).orElse("");
  }

  private String words(String nodeId) {
    return NodeName.words(nameOf(nodeId), nodeId);
  }

  @Override
  public void refused(String why) {
    troubles.refused(why);
  }

  /** Called when a control connection found that a peer has ended, or cannot be reached. Called once for each epoch of its process. */
  void died(PeerDeath death) {
    questions.remove(death.nodeId());
    String remembered = names.remove(death.nodeId());
    if (isNews(death.nodeId())) {
      String words = remembered == null ? words(death.nodeId()) : NodeName.words(remembered, death.nodeId());
      if (death.certain()) {
        LOG.info("Node " + words + " has ended: " + death.cause());
      } else {
        deaths.log("Node " + words + " is lost: " + death.cause());
      }
    }
    // One that was only silent may come back under the same epoch; the directory judges for itself whether it is there.
    if (death.certain()) {
      directory.declareDead(death.nodeId(), death.epoch());
    }
    each(death.nodeId(), link -> link.peer().epoch() == death.epoch(), link -> {
      if (death.writtenOff()) {
        // The peer has ended the links that it had then, which do not answer. Those that it has opened since then do.
        link.suspect(death.cause());
      } else {
        link.peerDead(death.cause(), death.certain());
      }
    });
  }
}
