package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.support.Deaths;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A node with control connections, and its received messages. As a program it echoes messages and prints events. */
final class ControlNode implements AutoCloseable {
  static final String SECRET = "the same on all nodes";
  static final int TEXT = 1;
  static final int ECHO = 2;

  final Vertx vertx;
  final ControlLinks links;
  final List<String> texts = new CopyOnWriteArrayList<>();
  final List<PeerDeath> deaths = new CopyOnWriteArrayList<>();
  final List<String> refusals = new CopyOnWriteArrayList<>();
  volatile NodeEntry self;
  /** Whether this node takes a new epoch as soon as it has sent its present one. */
  volatile boolean rejoins;

  ControlNode(Vertx vertx, String nodeId, long epoch, ControlSettings settings, String secret) throws Exception {
    this.vertx = vertx;
    self = NodeEntry.local(nodeId, epoch);
    links = new ControlLinks(((VertxInternal) vertx).createEventLoopContext(), settings, ClusterSecret.of(secret.getBytes()),
      this::tellSelf)
      .addListener(new Deaths(deaths::add))
      .refusalHandler((reason, why) -> refusals.add(why))
      .messageHandler(TEXT, (link, message) -> texts.add(message.toString()))
      .messageHandler(ECHO, (link, message) -> link.send(TEXT, message));
    self = self.withControl("127.0.0.1", await(links.listen()));
  }

  ControlNode(Vertx vertx, String nodeId) throws Exception {
    this(vertx, nodeId, 1 + nodeId.hashCode(), new ControlSettings("127.0.0.1"), SECRET);
  }

  private NodeEntry tellSelf() {
    NodeEntry told = self;
    if (rejoins) {
      self = told.withEpoch(told.epoch() + 1);
    }
    return told;
  }

  ControlLink link(ControlNode to) throws Exception {
    return await(links.link(to.self));
  }

  List<ControlLink> open() throws Exception {
    return await(links.links());
  }

  void send(ControlLink link, int kind, String text) throws Exception {
    await(link.send(kind, Buffer.buffer(text)));
  }

  @Override
  public void close() throws Exception {
    await(links.close());
  }

  /** Arguments: node id, milliseconds to suspect, to dead. */
  public static void main(String[] args) throws Exception {
    ControlSettings settings = new ControlSettings("127.0.0.1").withSilence(Long.parseLong(args[1]), Long.parseLong(args[2]));
    ControlNode node = new ControlNode(Vertx.vertx(), args[0], System.nanoTime(), settings, SECRET);
    System.out.println("listening " + node.self.toJson().encode());
    Thread.ofPlatform().daemon().start(() -> {
      until("a death is heard", () -> !node.deaths.isEmpty(), 100_000);
      System.out.println("death " + node.deaths.getFirst());
    });
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      if (line.equals("texts")) {
        System.out.println("texts " + node.texts);
      } else {
        await(node.links.link(NodeEntry.fromJson(new JsonObject(line))));
        System.out.println("linked");
      }
    }
    System.exit(0);
  }
}
