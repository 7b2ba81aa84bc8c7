package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlListener;
import io.github.vertxrdma.impl.peers.PeerDeath;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.FlightEvents;
import io.github.vertxrdma.impl.process.NodeName;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Open links and connect attempts, by peer. The first link to a peer opens the control connection. When that detects the peer's death, all
 * its links are closed. Thread-safe.
 */
final class PeerLinks implements LinkWatcher, ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);
  private static final int SILENT = 7;
  private static final long RETRY_MILLIS = 500;
  /** Failed attempts to open a control connection before a warning. */
  private static final int ATTEMPTS = 5;
  private static final int MOST_ENDED = 64;
  private static final long REPORT_MILLIS = 500;

  private final Refusals deaths = new Refusals(LOG, System::nanoTime);
  private final Refusals ends = new Refusals(LOG::info, System::nanoTime);
  private final Refusals failures = new Refusals(LOG, System::nanoTime);
  private final Refusals unwatched = new Refusals(LOG, System::nanoTime);
  private final DirectoryBackend directory;
  private final ErrorLog errors;
  private final Map<String, Set<Link>> links = new ConcurrentHashMap<>();
  private final Set<LinkConnector<?>> attempts = ConcurrentHashMap.newKeySet();
  /** Control connections on which a SILENT message (request to ping) has no answer yet, by node id. */
  private final Map<String, ControlLink> questions = new ConcurrentHashMap<>();
  /** Names of peers with control connections, by node id. Kept here because the directory removes a peer that has ended. */
  private final Map<String, String> names = new ConcurrentHashMap<>();
  /** Numbers of failed operations by node id, until they are logged. */
  private final Map<String, Integer> failed = new ConcurrentHashMap<>();
  /** Peers whose end was logged, until they return. Guarded by itself. */
  private final LinkedHashSet<String> ended = new LinkedHashSet<>();
  private final Consumer<Link> lost;
  private volatile ControlLinks control;

  /** @param lost called on a lost link's loop */
  PeerLinks(DirectoryBackend directory, ErrorLog errors, Consumer<Link> lost) {
    this.directory = directory;
    this.errors = errors;
    this.lost = lost;
  }

  void control(ControlLinks value) {
    control = value;
    value.addListener(this).messageHandler(SILENT, (link, message) -> {
      if (message.length() == 0) {
        pingAll(link);
      } else {
        questions.remove(link.nodeId(), link);
        forEachLink(link.nodeId(), found -> true, Link::suspectIfSilent);
      }
    });
  }

  /** Handles a SILENT message: pings over all links with the peer, then replies. */
  private void pingAll(ControlLink asking) {
    List<Link> found = linksTo(asking.nodeId(), link -> true);
    AtomicInteger left = new AtomicInteger(found.size());
    Runnable done = () -> asking.send(SILENT, Buffer.buffer(new byte[1]));
    if (found.isEmpty()) {
      done.run();
    }
    found.forEach(link -> LoopCall.execute(link.loop().eventLoop(), () -> {
      link.ping();
      if (left.decrementAndGet() == 0) {
        done.run();
      }
    }));
  }

  @Override
  public void connecting(LinkConnector<?> attempt) {
    attempts.add(attempt);
  }

  @Override
  public void connectEnded(LinkConnector<?> attempt) {
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
      EventLoop loop = link.loop().eventLoop();
      if (link.isConnector()) {
        watch(link.peer(), loop, 1);
      } else {
        // Waits for the connector to open the control connection. Concurrent connects would cost another handshake.
        loop.schedule(() -> {
          if (links.containsKey(peer)) {
            watch(link.peer(), loop, 1);
          }
        }, RETRY_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Opens the control connection to a peer. Retries while there are links to the peer. */
  private void watch(Greeting greeting, EventLoop loop, int attempt) {
    NodeEntry entry = entry(greeting);
    if (entry.controlPort() == 0) {
      return;
    }
    control.link(entry).onFailure(cause -> {
      if (!links.containsKey(entry.nodeId())) {
        return;
      }
      if (cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException)) {
        // A refused connect may mean that the peer died.
        forEachLink(entry.nodeId(), link -> true, link -> link.suspect(unreachable(cause)));
      }
      loop.schedule(() -> watch(greeting, loop, attempt + 1), RETRY_MILLIS * Math.min(attempt, 2 * ATTEMPTS), TimeUnit.MILLISECONDS);
      if (attempt == ATTEMPTS) {
        unwatched.log("There is no control connection with node " + words(entry.nodeId()) + ", so the node's death "
          + "would be detected late: " + cause.getMessage() + ". Open its control port in firewalls "
          + "between the two nodes");
      }
    });
  }

  private static String unreachable(Throwable cause) {
    return "the peer does not answer, and its control address does not answer either: " + cause.getMessage();
  }

  private NodeEntry entry(Greeting greeting) {
    return directory.node(greeting.nodeId()).filter(known -> known.epoch() == greeting.epoch() && known.controlPort() != 0)
      .orElseGet(() -> new NodeEntry(greeting.nodeId(), greeting.epoch(), ProcessIdentity.UNKNOWN, greeting.controlHost(),
        greeting.controlPort(), "", "", List.of(), ""));
  }

  /** Pings a peer over the links with one of its devices. Links without an answer within a second end. */
  void suspect(String peer, String device, String why) {
    // Peers with protocol version 4 do not name their device, so all their links are checked.
    forEachLink(peer, link -> link.peer().device().isEmpty() || link.peer().device().equals(device), link -> link.suspect(why));
    attempts.stream().filter(attempt -> attempt.isTo(peer, device)).forEach(attempt -> attempt.giveUp(why));
  }

  void ended(String peer, String device, String why) {
    forEachLink(peer, link -> link.peer().device().equals(device), link -> link.peerEnded(why));
  }

  private void forEachLink(String peer, Predicate<Link> condition, Consumer<Link> action) {
    linksTo(peer, condition).forEach(link -> LoopCall.execute(link.loop().eventLoop(), () -> action.accept(link)));
  }

  private List<Link> linksTo(String peer, Predicate<Link> condition) {
    List<Link> found = new ArrayList<>();
    links.computeIfPresent(peer, (id, set) -> {
      set.stream().filter(condition).forEach(found::add);
      return set;
    });
    return found;
  }

  /** Asks a silent peer over the control connection to ping over its links, because one link or direction may have failed. */
  @Override
  public void silent(Link link) {
    NodeEntry entry = entry(link.peer());
    if (entry.controlPort() == 0) {
      link.suspect("nothing arrived over the connection for too long, and the peer has no control address to check");
      return;
    }
    control.link(entry).onSuccess(found -> {
      if (!found.isSuspected() && questions.put(entry.nodeId(), found) != found) {
        found.send(SILENT, Buffer.buffer());
      }
    }).onFailure(cause -> {
      if (cause instanceof ConnectException) {
        LoopCall.execute(link.loop().eventLoop(), () -> link.suspect(unreachable(cause)));
      }
    });
  }

  @Override
  public void closed(Link link, Throwable cause) {
    FlightEvents.connection(link.peer().nodeId(), link.name(), link.loop().domain.device().name(), false, cause);
    if (!link.isClosedInOrder()) {
      if (!link.hasPeerLeft()) {
        errors.lost(cause);
      }
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
    if (last[0] && link.hasPeerEnded() && !names.containsKey(peer) && isFirstReport(peer)) {
      errors.ended(peer, link.peerName(), false, true);
      FlightEvents.nodeEnd(peer, link.peerName(), false, true, "its process ended");
      ends.log("Node " + NodeName.words(link.peerName(), peer) + " has ended: its process ended");
    }
  }

  private boolean isFirstReport(String peer) {
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

  /** Counts failed operations, which one log line reports for all links with the peer. */
  private void failed(Link link, Throwable cause) {
    String peer = link.peer().nodeId();
    String words = NodeName.words(link.peerName(), peer);
    if (failed.merge(peer, link.failedOperations(), Integer::sum) > link.failedOperations()) {
      return;
    }
    Runnable report = () -> {
      Integer count = failed.remove(peer);
      if (count != null) {
        failures.log(count + " operations with node " + words + " failed: " + cause.getMessage());
      }
    };
    EventLoop loop = link.loop().eventLoop();
    if (!LoopCall.execute(task -> loop.schedule(task, REPORT_MILLIS, TimeUnit.MILLISECONDS), report)) {
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
  public void refused(Reason reason, String why) {
    errors.refused(reason, why);
  }

  @Override
  public void opened(ControlLink link) {
    names.put(link.nodeId(), link.peer().name());
  }

  @Override
  public void died(PeerDeath death) {
    questions.remove(death.nodeId());
    String remembered = names.remove(death.nodeId());
    if (isFirstReport(death.nodeId())) {
      String name = remembered == null ? nameOf(death.nodeId()) : remembered;
      String words = NodeName.words(name, death.nodeId());
      errors.ended(death.nodeId(), name, death.orderly(), death.certain());
      FlightEvents.nodeEnd(death.nodeId(), name, death.orderly(), death.certain(), death.cause());
      if (death.certain()) {
        ends.log("Node " + words + " has ended: " + death.cause());
      } else {
        deaths.log("Node " + words + " is lost: " + death.cause());
      }
    }
    // A node that is only silent may return with the same epoch.
    if (death.certain()) {
      directory.declareDead(death.nodeId(), death.epoch());
    }
    forEachLink(death.nodeId(), link -> link.peer().epoch() == death.epoch(), link -> {
      if (death.writtenOff()) {
        // The peer closed the links that existed when it declared this node dead. Newer links answer the ping.
        link.suspect(death.cause());
      } else if (death.orderly()) {
        link.peerLeft(death.cause());
      } else {
        link.peerDead(death.cause(), death.certain());
      }
    });
  }
}
