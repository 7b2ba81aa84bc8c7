package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.PingReport;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.provider.Device;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Pings the nodes that match a name over each fabric, one after the other. */
public final class Pings {
  public static final String SERVICE = "ping";

  private final Node node;
  private final ContextInternal context;
  private final int count;
  private final int size;
  private final String forced;
  private final List<PingReport> reports = new ArrayList<>();

  public Pings(Node node, ContextInternal context, int count, int size, String forced) {
    this.node = node;
    this.context = context;
    this.count = count;
    this.size = size;
    this.forced = forced;
  }

  /** @param name name of a service or node, node id, or start of a node id */
  public Future<List<PingReport>> ping(String name, long lookupMillis) {
    DirectoryBackend directory = node.directory();
    List<NodeEntry> peers = directory.nodes().stream().filter(n -> n.nodeId().equals(name) || n.name().equals(name)).toList();
    if (peers.isEmpty() && directory.services(name).isEmpty()) {
      peers = directory.nodes().stream().filter(n -> n.nodeId().startsWith(name)).toList();
    }
    if (!peers.isEmpty()) {
      return pingAll(peers);
    }
    return directory.awaitServices(name, Duration.ofMillis(lookupMillis))
      .recover(cause -> Future.failedFuture(new RdmaException(Reason.NOT_FOUND,
        "no service and no node has the name '" + name + "' in the " + directory.type() + " directory, which contains "
          + knownNames(directory),
        cause)))
      .compose(found -> pingAll(found.stream().map(ServiceEntry::nodeId).distinct()
        .map(id -> directory.node(id).orElse(NodeEntry.local(id, 0))).toList()));
  }

  private static String knownNames(DirectoryBackend directory) {
    String nodes = directory.nodes().stream().map(NodeEntry::nodeId).filter(id -> !id.equals(directory.nodeId())).sorted()
      .collect(Collectors.joining(", "));
    String services = directory.services().stream().map(ServiceEntry::name).distinct().sorted().collect(Collectors.joining(", "));
    return nodes.isEmpty() ? "no other node"
      : "the nodes " + nodes + (services.isEmpty() ? " and no service" : " and the services " + services);
  }

  private Future<List<PingReport>> pingAll(List<NodeEntry> peers) {
    return each(peers, this::pingPeer).map(v -> List.copyOf(reports));
  }

  /** Makes calls one after the other. */
  private static <T> Future<Void> each(List<T> all, Function<T, Future<Void>> call) {
    Future<Void> last = Future.succeededFuture();
    for (T next : all) {
      last = last.compose(v -> call.apply(next));
    }
    return last;
  }

  /** Pings a peer over each local device. Also reports fabrics that only the peer has. */
  private Future<Void> pingPeer(NodeEntry peer) {
    List<FabricAddress> addresses = addresses(peer);
    return node.devices.findNamed(forced == null ? addresses.stream().map(FabricAddress::fabric) : Stream.of(forced))
      .compose(v -> pingPeer(peer, addresses));
  }

  private Future<Void> pingPeer(NodeEntry peer, List<FabricAddress> addresses) {
    List<Device> devices = node.devices.ranked();
    return each(
      devices.stream().filter(device -> forced == null || forced.equals(device.name()) || forced.equals(device.fabric())).toList(),
      device -> pingOver(peer, addresses, device)).onSuccess(v -> {
        Set<String> fabrics = devices.stream().map(Device::fabric).collect(Collectors.toSet());
        for (FabricAddress address : addresses) {
          if (forced == null && fabrics.add(address.fabric())) {
            reports.add(new PingReport(peer.nodeId(), address.device(), "", List.of(), "this node has no device on fabric '"
              + address.fabric() + "'"));
          }
        }
      });
  }

  private Future<Void> pingOver(NodeEntry peer, List<FabricAddress> addresses, Device device) {
    return new Connector(node, context, "node " + peer.nodeId(), SERVICE, new byte[0], device.name()).peer(peer, addresses)
      .connect((link, choice) -> new Pinger(link, peer.nodeId()).start()).compose(report -> report)
      .otherwise(cause -> new PingReport(peer.nodeId(), device.name(), device.provider(), List.of(), reason(cause, device)))
      .map(report -> {
        reports.add(report);
        return null;
      });
  }

  private static String reason(Throwable cause, Device device) {
    String all = String.valueOf(cause.getMessage());
    for (String part : all.replaceFirst("^no fabric reaches [^:]*: ", "").split("; ")) {
      if (part.startsWith(device.name() + ": ")) {
        return part.substring(device.name().length() + 2);
      }
    }
    return all;
  }

  private List<FabricAddress> addresses(NodeEntry peer) {
    List<FabricAddress> all = new ArrayList<>(peer.addresses());
    node.directory().services().stream().filter(e -> e.nodeId().equals(peer.nodeId())).flatMap(e -> e.addresses().stream())
      .filter(address -> all.stream().noneMatch(a -> a.fabric().equals(address.fabric())
        && a.address().format().equals(address.address().format())))
      .forEach(all::add);
    return all;
  }

  /** Measures round trips to a {@link Responder}, one message at a time. Confined to the link's event loop. */
  private final class Pinger implements MessageHandler {
    private static final int TIMEOUT_MILLIS = 5_000;

    private final Link link;
    private final String nodeId;
    private final byte[] bytes = new byte[size];
    private final List<Long> nanos = new ArrayList<>();
    private final Promise<PingReport> promise = Promise.promise();
    private long sent;
    private final Deadline timer = Deadline.of(() -> end("the peer did not answer the ping within " + TIMEOUT_MILLIS + " ms"));

    Pinger(Link link, String nodeId) {
      this.link = link;
      this.nodeId = nodeId;
    }

    Future<PingReport> start() {
      link.handler(this);
      send();
      return promise.future();
    }

    private void send() {
      link.loop().host.deadlines().set(timer, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
      sent = System.nanoTime();
      link.send(Unpooled.wrappedBuffer(bytes), null);
    }

    private void end(String failure) {
      timer.cancel();
      Device device = link.loop().domain.device();
      if (promise.tryComplete(new PingReport(nodeId, device.name(), device.provider(), nanos, failure))) {
        link.shutdown(TIMEOUT_MILLIS, Promise.<Void>promise());
      }
    }

    @Override
    public void message(ByteBuf message) {
      nanos.add(System.nanoTime() - sent);
      timer.cancel();
      message.release();
      if (promise.future().isComplete()) {
        return;
      }
      if (nanos.size() == count) {
        end("");
      } else {
        send();
      }
    }

    @Override
    public void closed(Throwable cause) {
      end(cause == null ? "the peer closed the connection" : cause.getMessage());
    }
  }

  /** Accepts a link to {@link #SERVICE}, and returns each message. */
  public static void respond(IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      link.handler(new Responder(link, new Backpressure(Runnable::run, link::pause)));
    }
  }

  /** Returns each message. Stops reading while the peer does not read the answers. */
  private record Responder(Link link, Backpressure answers) implements MessageHandler {

    @Override
    public void message(ByteBuf message) {
      int size = message.readableBytes();
      answers.add(size);
      link.send(message, (sent, cause) -> answers.remove(size));
    }

    @Override
    public void closed(Throwable cause) {
    }
  }
}
