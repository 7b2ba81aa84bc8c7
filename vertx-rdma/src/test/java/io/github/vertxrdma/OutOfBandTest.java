package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"memory", "verbs:nic"}, full = {MemoryVariants.STRICT, MemoryVariants.FAULTY})
@Timeout(120)
class OutOfBandTest extends FabricPair {

  record Ends(RdmaConnection a, RdmaConnection b) {
  }

  private static RdmaOfferOptions patient() {
    return new RdmaOfferOptions().setPeerTimeout(Duration.ofSeconds(100));
  }

  private Ends connected() throws Exception {
    RdmaOffer a = await(server.createOffer(patient().setPrivateData(Buffer.buffer("of a"))));
    RdmaOffer b = await(client.createOffer(patient().setPrivateData(Buffer.buffer("of b"))));
    Future<RdmaConnection> left = a.connect(b.token());
    Future<RdmaConnection> right = b.connect(a.token());
    return new Ends(await(left), await(right));
  }

  @Test
  void bothSidesHaveAConnectionAndKnowEachOther() throws Exception {
    Ends ends = connected();
    assertEquals("of b", ends.a.privateData().toString());
    assertEquals("of a", ends.b.privateData().toString());
    assertEquals(await(client.directory()).nodeId(), ends.a.remoteNodeId());
    assertEquals(await(server.directory()).nodeId(), ends.b.remoteNodeId());
    assertEquals(fabric(), ends.a.fabric().device());
    Promise<Buffer> there = Promise.promise();
    Promise<Buffer> back = Promise.promise();
    ends.a.handler(there::tryComplete);
    ends.b.handler(back::tryComplete);
    ends.b.write(Buffer.buffer("there"));
    ends.a.write(Buffer.buffer("back"));
    assertEquals("there", await(there.future()).toString());
    assertEquals("back", await(back.future()).toString());
  }

  @Test
  void messagesOfAllSizesBothWaysAndAnOrderlyClose() throws Exception {
    Ends ends = connected();
    Random random = new Random(7);
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      byte[] bytes = new byte[i % 20 == 19 ? random.nextInt(1 << 20) : (int) Math.pow(2, random.nextDouble() * 17)];
      random.nextBytes(bytes);
      sent.add(Buffer.buffer(bytes));
    }
    ConcurrentLinkedQueue<Buffer> got = new ConcurrentLinkedQueue<>();
    Promise<Void> all = Promise.promise();
    Promise<Void> closed = Promise.promise();
    ends.a.handler(ends.a::write).exceptionHandler(all::tryFail).closeHandler(v -> closed.complete());
    ends.b.exceptionHandler(all::tryFail).handler(m -> {
      got.add(m);
      if (got.size() == sent.size()) {
        all.complete();
      }
    });
    sent.forEach(ends.b::write);
    await(all.future());
    assertEquals(sent, List.copyOf(got));
    await(ends.b.close());
    await(closed.future());
  }

  @Test
  void memoryIsGrantedOverIt() throws Exception {
    Ends ends = connected();
    MemoryRegion region = await(server.createRegion(new RegionOptions().setName("granted").setSize(4096).setAccess(RegionAccess.READ)));
    region.segment().fill((byte) 9);
    Promise<RemoteRegion> granted = Promise.promise();
    ends.b.grantHandler(granted::complete);
    await(ends.a.grant(region, Set.of(RegionAccess.READ), Duration.ofMinutes(10)));
    Buffer read = await(await(granted.future()).read(100, 1000));
    assertEquals(1000, read.length());
    assertEquals(9, read.getByte(999));
  }

  @Test
  void invalidTokenIsRefusedAndTheOfferStays() throws Exception {
    RdmaOffer a = await(server.createOffer(patient()));
    RdmaOffer b = await(client.createOffer(patient()));
    byte[] theirs = b.token().getBytes();
    assertRefused(Reason.PROTOCOL, "are not the token of an RdmaOffer", a.connect(Buffer.buffer("hello, here I am")));
    assertRefused(Reason.PROTOCOL, "RdmaOffer.token()", a.connect(Buffer.buffer()));
    assertRefused(Reason.PROTOCOL, "is too short: " + (theirs.length - 1) + " bytes, not " + theirs.length,
      a.connect(b.token().slice(0, theirs.length - 1)));
    assertRefused(Reason.PROTOCOL, "is too long", a.connect(b.token().appendByte((byte) 0)));
    assertRefused(Reason.PROTOCOL, "checksum", a.connect(b.token().setByte(theirs.length - 6, (byte) (theirs[theirs.length - 6] + 1))));
    assertRefused(Reason.PROTOCOL, "version 7 of", a.connect(b.token().setByte(4, (byte) 7).setByte(5, (byte) 7)));
    assertRefused(Reason.UNREACHABLE, "this RdmaOffer itself", a.connect(a.token()));
    Future<RdmaConnection> left = a.connect(b.token());
    Future<RdmaConnection> right = b.connect(a.token());
    await(left);
    await(right);
    ExecutionException twice = assertThrows(ExecutionException.class, () -> await(a.connect(b.token())));
    assertInstanceOf(IllegalStateException.class, twice.getCause());
  }

  private static void assertRefused(Reason reason, String words, Future<?> refused) {
    assertEquals(reason, reason(refused));
    assertTrue(refused.cause().getMessage().contains(words), refused.cause().getMessage());
  }

  @Test
  void anEndWhosePeerNeverComesFailsInTime() throws Exception {
    RdmaOffer a = await(server.createOffer(new RdmaOfferOptions().setPeerTimeout(Duration.ofMillis(500))));
    RdmaOffer b = await(client.createOffer());
    assertRefused(Reason.UNREACHABLE, "did not connect within 500 ms", a.connect(b.token()));
    assertTrue(reason(a.connect(b.token())) != null, "it is over");
    await(b.close());
  }

  @Test
  void closingAnEndThatWaitsFailsItsConnect() throws Exception {
    RdmaOffer a = await(server.createOffer(patient()));
    Future<RdmaConnection> left = a.connect(await(client.createOffer()).token());
    await(a.close());
    await(a.close());
    assertEquals(Reason.CLOSED, reason(left));
    assertEquals(Reason.CLOSED, reason(a.connect(await(client.createOffer()).token())));
  }

  @Test
  void closingAnEndLeavesItsConnection() throws Exception {
    RdmaOffer a = await(server.createOffer(patient()));
    RdmaOffer b = await(client.createOffer(patient()));
    Future<RdmaConnection> left = a.connect(b.token());
    RdmaConnection right = await(b.connect(a.token()));
    Promise<Buffer> got = Promise.promise();
    await(left).handler(got::tryComplete);
    await(a.close());
    await(b.close());
    right.write(Buffer.buffer("still here"));
    assertEquals("still here", await(got.future()).toString());
  }

  @Test
  void undeployingTheVerticleThatMadeItClosesIt() throws Exception {
    Promise<RdmaOffer> made = Promise.promise();
    String id = await(serverVertx.deployVerticle(new AbstractVerticle() {
      @Override
      public void start(Promise<Void> started) {
        server.createOffer().onComplete(made).<Void>mapEmpty().onComplete(started);
      }
    }));
    RdmaOffer a = await(made.future());
    await(serverVertx.undeploy(id));
    assertEquals(Reason.CLOSED, reason(a.connect(await(client.createOffer()).token())));
  }

  @Test
  void theConnectionIsOnTheContextThatMadeTheEnd() throws Exception {
    RdmaOffer b = await(client.createOffer(patient()));
    Promise<Void> done = Promise.promise();
    Promise<RdmaOffer> made = Promise.promise();
    Context context = serverVertx.getOrCreateContext();
    context.runOnContext(v -> server.createOffer(patient()).onComplete(made));
    RdmaOffer a = await(made.future());
    a.connect(b.token()).onFailure(done::tryFail).onSuccess(c -> c.handler(m -> {
      if (Vertx.currentContext() == context) {
        done.tryComplete();
      } else {
        done.tryFail("message on another context");
      }
    }));
    await(b.connect(a.token())).write(Buffer.buffer("x"));
    await(done.future());
  }

  @Test
  void connectFailsOnBothSidesWhenSecretsDiffer() throws Exception {
    Path secret = folder.resolve("secret");
    Files.write(secret, "another secret of at least sixteen bytes".getBytes(StandardCharsets.UTF_8));
    Files.setPosixFilePermissions(secret, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    Vertx strangerVertx = vertx();
    try {
      Rdma stranger = Rdma.create(strangerVertx, options().setSecretFile(secret.toString()));
      RdmaOffer a = await(server.createOffer(patient()));
      RdmaOffer b = await(stranger.createOffer(patient()));
      Future<RdmaConnection> left = a.connect(b.token());
      Future<RdmaConnection> right = b.connect(a.token());
      assertEquals(Set.of(Reason.NOT_AUTHENTIC, Reason.REJECTED), Set.of(reason(left), reason(right)));
      assertTrue(left.cause().getMessage().contains("cluster secret") && right.cause().getMessage().contains("cluster secret"),
        left.cause() + " and " + right.cause());
    } finally {
      await(strangerVertx.close());
    }
  }

  @Test
  void endOfThePeerIsReportedWhenItsVertxCloses() throws Exception {
    Ends ends = connected();
    Promise<Void> closed = Promise.promise();
    ends.b.closeHandler(v -> closed.complete());
    await(serverVertx.close());
    await(closed.future());
    assertTrue(reason(ends.b.write(Buffer.buffer("x"))) != null);
  }

  @Test
  void manyConnectionsAtOnce() throws Exception {
    List<RdmaOffer> as = new ArrayList<>();
    List<RdmaOffer> bs = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      as.add(await(server.createOffer(patient())));
      bs.add(await(client.createOffer(patient())));
    }
    int[] echoed = {0};
    Promise<Void> all = Promise.promise();
    for (int i = 0; i < as.size(); i++) {
      as.get(i).connect(bs.get(i).token()).onFailure(all::tryFail).onSuccess(c -> c.handler(c::write));
      bs.get(i).connect(as.get(i).token()).onFailure(all::tryFail).onSuccess(c -> {
        c.exceptionHandler(all::tryFail);
        c.handler(m -> {
          synchronized (echoed) {
            if (++echoed[0] == 10 * 20) {
              all.tryComplete();
            }
          }
        });
        for (int k = 0; k < 20; k++) {
          c.write(Buffer.buffer(new byte[k * 3000]));
        }
      });
    }
    await(all.future());
    until("all is counted", () -> echoed[0] == 200);
    assertTrue(await(all.future().timeout(1, TimeUnit.SECONDS)) == null);
  }
}
