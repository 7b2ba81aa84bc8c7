package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics({"memory", "nio", "shm", "tcp", "rxm", "verbs:nic"})
@Timeout(120)
class TaggedTest extends FabricPair {
  private static final int MANY = 10_000;
  private static final int BOUND = 100;

  private RdmaTagged receiver;
  private final ConcurrentLinkedQueue<Future<Void>> ends = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<RdmaConnection> accepted = new ConcurrentLinkedQueue<>();
  private RdmaTagged sender;

  private void listen(int bound) throws Exception {
    sender = RdmaTagged.create(client);
    receiver = RdmaTagged.create(server, bound, 16 << 20);
    await(server.createServer().connectHandler(connection -> {
      ends.add(receiver.add(connection));
      accepted.add(connection);
    }).listen("ranks"));
  }

  private RdmaConnection connect() throws Exception {
    int before = accepted.size();
    RdmaConnection connection = await(client.connect("ranks"));
    until("accepted", () -> accepted.size() == before + 1);
    return connection;
  }

  private RdmaConnection last() {
    return List.copyOf(accepted).getLast();
  }

  private static Buffer body(int number) {
    return Buffer.buffer().appendInt(number);
  }

  private int number(Future<TaggedMessage> received) throws Exception {
    return await(received).body().getInt(0);
  }

  @Test
  void receivesAndMessagesMatchByTagAndMaskInOrder() throws Exception {
    listen(1000);
    RdmaConnection peer = connect();
    Future<TaggedMessage> seven = receiver.receive(7);
    Future<TaggedMessage> sevenAgain = receiver.receive(7);
    Future<TaggedMessage> upper = receiver.receive(0xAB00, 0xFF00);
    Future<TaggedMessage> all = receiver.receive(0, 0);
    sender.send(peer, 0xABCD, body(1));
    sender.send(peer, 7, body(2));
    sender.send(peer, 8, body(3));
    sender.send(peer, 7, body(4));
    assertEquals(0xABCD, await(upper).tag());
    assertSame(last(), await(upper).source());
    assertEquals(1, number(upper));
    assertEquals(2, number(seven));
    assertEquals(3, number(all), "the oldest receive that matches");
    assertEquals(4, number(sevenAgain));
    for (int i = 0; i < 6; i++) {
      sender.send(peer, i % 2 == 0 ? -1L : Long.MIN_VALUE, body(i));
    }
    until("all wait", () -> receiver.unexpected() == 6);
    assertEquals(1, number(receiver.receive(Long.MIN_VALUE)), "the oldest message that matches");
    assertEquals(0, number(receiver.receive(-1L)));
    assertEquals(2, number(receiver.receive(1, 1)));
    assertEquals(3, number(receiver.receive(0, 0)));
    assertEquals(4, number(receiver.receive(0, 0)));
    assertEquals(5, number(receiver.receive(0, 0)));
    assertEquals(0, receiver.unexpected());
  }

  @Test
  void messagesOfAllSizesArrive() throws Exception {
    listen(1000);
    RdmaConnection peer = connect();
    for (int size : new int[] {0, 1, 100, 5000, 300_000, 2_000_000}) {
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      Future<TaggedMessage> received = receiver.receive(size);
      sender.send(peer, size, Buffer.buffer(bytes));
      assertEquals(Buffer.buffer(bytes), await(received).body());
    }
  }

  @Test
  void aListenerOnAVirtualThreadAwaitsALaterMessage() throws Exception {
    sender = RdmaTagged.create(client);
    receiver = RdmaTagged.create(server);
    Promise<TaggedMessage> later = Promise.promise();
    await(serverVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        receiver.receive(1).onSuccess(message -> later.complete(receiver.receive(2).await()));
        return server.createServer().connectHandler(receiver::add).listen("ranks");
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.VIRTUAL_THREAD)));
    RdmaConnection peer = await(client.connect("ranks"));
    sender.send(peer, 1, body(1));
    sender.send(peer, 2, body(2));
    assertEquals(2, number(later.future()));
  }

  @Test
  void aReceiveMayNameItsSource() throws Exception {
    listen(1000);
    RdmaConnection one = connect();
    RdmaConnection first = last();
    RdmaConnection two = connect();
    RdmaConnection second = last();
    Future<TaggedMessage> ofSecond = receiver.receive(1, -1, second, RdmaTagged.ANY_LENGTH);
    sender.send(one, 1, body(1));
    until("it waits", () -> receiver.unexpected() == 1);
    assertFalse(ofSecond.isComplete());
    sender.send(two, 1, body(2));
    assertEquals(2, number(ofSecond));
    assertEquals(1, number(receiver.receive(1, -1, first, RdmaTagged.ANY_LENGTH)));
  }

  @Test
  void messageTooLongForItsReceiveFailsByName() throws Exception {
    listen(1000);
    RdmaConnection peer = connect();
    Future<TaggedMessage> expecting = receiver.receive(1, -1, null, 3);
    sender.send(peer, 1, body(1));
    assertEquals(Reason.TRUNCATED, reason(expecting));
    assertTrue(expecting.cause().getMessage().startsWith("a message of 4 bytes with tag 0x1 of node "), expecting.cause().getMessage());
    sender.send(peer, 1, body(2));
    sender.send(peer, 1, body(3));
    until("both wait", () -> receiver.unexpected() == 2);
    assertEquals(Reason.TRUNCATED, reason(receiver.receive(1, -1, null, 0)));
    assertEquals(3, number(receiver.receive(1, -1, null, 4)));
    assertThrows(IllegalArgumentException.class, () -> receiver.receive(1, -1, null, -1));
  }

  @Test
  void unexpectedMessagesAreLimitedAndReported() throws Exception {
    listen(BOUND);
    RdmaConnection peer = connect();
    peer.setWriteQueueMaxSize(1000);
    Future<TaggedMessage> early = receiver.receive(MANY);
    for (int i = 0; i < MANY; i++) {
      sender.send(peer, i, body(i).appendBytes(new byte[1000 - Integer.BYTES]));
    }
    until("the sender is held back", peer::writeQueueFull);
    until("they wait", () -> receiver.unexpected() == BOUND);
    assertEquals(Reason.LIMIT, reason(early));
    Future<TaggedMessage> late = receiver.receive(MANY - 1);
    assertEquals(Reason.LIMIT, reason(late));
    assertTrue(late.cause().getMessage().contains("100 messages of 100000 bytes are waiting"), late.cause().getMessage());
    assertEquals(Reason.LIMIT, reason(receiver.receive(MANY - 1, -1, last(), RdmaTagged.ANY_LENGTH)));
    RdmaConnection other = connect();
    Future<TaggedMessage> hoped = receiver.receive(MANY);
    for (int i = 0; i < MANY; i++) {
      assertEquals(i, number(receiver.receive(0, 0)));
      assertTrue(receiver.unexpected() <= BOUND);
    }
    sender.send(other, MANY, body(MANY));
    assertEquals(MANY, number(hoped));
  }

  @Test
  void messagesSentBeforeAnOrderlyEndAreReceivedAfterIt() throws Exception {
    listen(10);
    RdmaConnection peer = connect();
    RdmaConnection source = last();
    for (int i = 0; i < 50; i++) {
      sender.send(peer, i, body(i));
    }
    Future<Void> closed = peer.close();
    for (int i = 0; i < 50; i++) {
      assertEquals(i, number(receiver.receive(i, -1, source, 4)));
    }
    await(closed);
    await(ends.peek());
    assertEquals(Reason.CLOSED, reason(receiver.receive(1, -1, source, 4)));
  }

  @Test
  void onlySoMuchIsKeptOfClosedConnections() throws Exception {
    listen(10);
    for (int i = 1; i <= 4; i++) {
      RdmaConnection peer = connect();
      int before = receiver.unexpected();
      for (int j = 0; j < 6; j++) {
        sender.send(peer, j, body(10 * i + j));
      }
      until("all wait", () -> receiver.unexpected() == before + 6);
      await(peer.close());
      int left = Math.min(6 * i, 10);
      until(left + " are left", () -> receiver.unexpected() == left);
    }
    for (int kept : new int[] {32, 33, 34, 35, 40, 41, 42, 43, 44, 45}) {
      assertEquals(kept, number(receiver.receive(0, 0)));
    }
  }

  @Test
  void aConnectionThatIsAddedAfterItsEndBringsNothing() throws Exception {
    RdmaTagged late = RdmaTagged.create(server);
    Promise<RdmaConnection> over = Promise.promise();
    await(server.createServer().connectHandler(c -> c.handler(message -> {}).endHandler(v -> c.closeHandler(closed -> over.complete(c))))
      .listen("ranks"));
    await(await(client.connect("ranks")).close());
    RdmaConnection ended = await(over.future());
    await(late.add(ended));
    assertEquals(Reason.CLOSED, reason(late.receive(1, -1, ended, RdmaTagged.ANY_LENGTH)));
  }

  @Test
  void peerThatSendsNoTagsIsDisconnectedAndOthersContinue() throws Exception {
    listen(1000);
    RdmaConnection bad = connect();
    Future<TaggedMessage> ofBad = receiver.receive(1, -1, last(), 4);
    RdmaConnection good = connect();
    bad.write(Buffer.buffer("no tag"));
    assertEquals(Reason.PROTOCOL, reason(ofBad));
    assertEquals(Reason.PROTOCOL, reason(ends.peek()));
    sender.send(good, 1, body(5));
    assertEquals(5, number(receiver.receive(1)));
    RdmaConnection added = last();
    assertThrows(IllegalArgumentException.class, () -> receiver.add(added));
  }

  @Test
  void closeFailsReceivesAndBlocksNoPeer() throws Exception {
    listen(10);
    RdmaConnection peer = connect();
    Future<TaggedMessage> never = receiver.receive(-5);
    List<Future<Void>> sent = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      sent.add(sender.send(peer, i, body(i)));
    }
    until("they wait", () -> receiver.unexpected() == 9);
    receiver.close();
    assertEquals(Reason.CLOSED, reason(never));
    assertEquals(Reason.CLOSED, reason(receiver.receive(1)));
    assertEquals(0, receiver.unexpected());
    for (int i = 0; i < 5000; i++) {
      sent.add(sender.send(peer, i, body(i)));
    }
    await(Future.all(sent));
    await(peer.close());
  }

  @Test
  void eachMessageIsReceivedOnceAndThoseOfOneSourceAndTagInOrder() throws Exception {
    listen(64);
    RdmaConnection[] peers = {connect(), connect(), connect()};
    Random random = new Random(11);
    int each = 1000;
    List<Integer> tags = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      for (RdmaConnection peer : peers) {
        tags.add(random.nextInt(8));
        sender.send(peer, tags.getLast(), body(i));
      }
    }
    Map<String, Integer> latest = new HashMap<>();
    while (!tags.isEmpty()) {
      Future<TaggedMessage> received = receiver.receive(tags.get(random.nextInt(tags.size())), random.nextInt(8));
      TaggedMessage message;
      try {
        message = await(received);
      } catch (ExecutionException e) {
        assertEquals(Reason.LIMIT, ((RdmaException) e.getCause()).reason());
        message = await(receiver.receive(0, 0));
      }
      int now = message.body().getInt(0);
      Integer before = latest.put(message.tag() + " of " + System.identityHashCode(message.source()), now);
      assertTrue(before == null || before < now, () -> before + " before " + now);
      tags.remove((Integer) (int) message.tag());
    }
    assertEquals(0, receiver.unexpected());
  }
}
