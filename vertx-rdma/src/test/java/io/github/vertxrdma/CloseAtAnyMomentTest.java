package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Another thread closes each object at every moment of its life: everything ends with success or a permitted reason, other objects
 * continue, and nothing is left.
 */
@OverFabrics(value = "shm", all = {"nio", "tcp", "rxm", "memory"})
@Timeout(300)
class CloseAtAnyMomentTest extends FabricPair {
  private static final int MOMENTS = 15;
  private static final int MANY_MOMENTS = 200;
  private static final int WHOLE = 3;
  private static final int LARGE = 100_000;
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final AtomicInteger LIVES = new AtomicInteger();
  private static final Set<Reason> ENDS = EnumSet.of(Reason.CLOSED, Reason.CONNECTION_LOST, Reason.REVOKED, Reason.NOT_FOUND,
    Reason.UNREACHABLE,
    Reason.REJECTED);

  private final List<Throwable> unexpected = new CopyOnWriteArrayList<>();
  private Context context;
  private volatile Function<RdmaConnection, Future<Void>> accepted = connection -> Future.succeededFuture();

  @Override
  VertxOptions vertxOptions() {
    return new VertxOptions().setEventLoopPoolSize(1);
  }

  private static final class Life {
    private final List<Future<?>> begun = new CopyOnWriteArrayList<>();
    private final AtomicReference<Supplier<Future<Void>>> close = new AtomicReference<>();
    /** A name of its own, because a directory may keep old entries for a while. */
    private final String name = "made " + LIVES.incrementAndGet();

    <T> Future<T> begin(Future<T> future) {
      begun.add(future);
      return future;
    }

    void isClosedBy(Supplier<Future<Void>> closed) {
      close.set(closed);
    }
  }

  private interface Living {
    /** @return completes at the object's end, unless it is closed */
    Future<?> live(CloseAtAnyMomentTest test, Life life);
  }

  private enum Thing {
    CONNECTION((test, life) -> life.begin(test.client.connect("echo")).onSuccess(connection -> life.isClosedBy(connection::close))
      .compose(connection -> talk(life, connection))),
    ACCEPTED_CONNECTION((test, life) -> {
      test.accepted = connection -> {
        life.isClosedBy(connection::close);
        return Future.succeededFuture();
      };
      return life.begin(test.client.connect("echo")).compose(connection -> talk(life, connection));
    }),
    SERVER((test, life) -> {
      RdmaServer made = test.server.createServer().connectHandler(CloseAtAnyMomentTest::echo);
      life.isClosedBy(made::close);
      RdmaConnectOptions impatient = new RdmaConnectOptions().setLookupTimeout(PATIENCE);
      return life.begin(made.listen(life.name)).compose(v -> life.begin(test.client.connect(life.name, impatient)))
        .compose(connection -> talk(life, connection));
    }),
    REGION((test, life) -> test.shareAndUse(life, MemoryRegion::close)),
    REVOKED_REGION((test, life) -> test.shareAndUse(life, MemoryRegion::revoke)),
    OPENED_REGION((test, life) -> test.share(life).compose(region -> test.client.openRegion(life.name).compose(remote -> {
      life.isClosedBy(remote::close);
      return use(life, remote);
    }).eventually(region::close))),
    RDMA((test, life) -> {
      Rdma made = Rdma.create(test.clientVertx, test.options());
      life.isClosedBy(made::close);
      return test.liveWith(life, made);
    }),
    VERTX((test, life) -> {
      Vertx made = test.vertx();
      made.exceptionHandler(test.unexpected::add);
      life.isClosedBy(made::close);
      // Not composed, because a listener on a context of a closed Vert.x is never called.
      Promise<Void> over = Promise.promise();
      test.liveWith(life, Rdma.create(made, test.options())).onComplete(lived -> made.close().onComplete(over));
      return over.future();
    });

    private final Living living;

    Thing(Living living) {
      this.living = living;
    }
  }

  private static void echo(RdmaConnection connection) {
    connection.handler(connection::write).requestHandler(Future::succeededFuture).endHandler(v -> connection.end());
  }

  private static Future<Void> talk(Life life, RdmaConnection connection) {
    connection.handler(message -> {});
    life.begin(connection.write(Buffer.buffer("hello")));
    life.begin(connection.write(Buffer.buffer(new byte[LARGE])));
    return life.begin(connection.request(Buffer.buffer("question"))).compose(answer -> {
      life.begin(connection.allocate(LARGE)).onSuccess(message -> life.begin(connection.write(message)));
      life.begin(connection.flush());
      return life.begin(connection.request(Buffer.buffer(new byte[LARGE])));
    }).compose(answer -> life.begin(connection.close()));
  }

  private Future<MemoryRegion> share(Life life) {
    return server.createRegion(new RegionOptions().setName(life.name).setSize(2 * LARGE).setAccess(RegionAccess.READ, RegionAccess.WRITE,
      RegionAccess.ATOMIC));
  }

  private Future<Void> shareAndUse(Life life, Function<MemoryRegion, Future<Void>> close) {
    return share(life).compose(region -> {
      life.isClosedBy(() -> close.apply(region));
      return life.begin(client.openRegion(life.name, new RegionOpenOptions().setLookupTimeout(PATIENCE)))
        .compose(remote -> use(life, remote)).eventually(region::close);
    });
  }

  private static Future<Void> use(Life life, RemoteRegion region) {
    life.begin(region.fetchAndAdd(0, 1));
    life.begin(region.write(8, Buffer.buffer(new byte[64])));
    life.begin(region.write(8, Buffer.buffer(new byte[LARGE])));
    life.begin(region.writeNotify(8, Buffer.buffer("told"), 1));
    return life.begin(region.read(8, LARGE)).compose(bytes -> life.begin(region.compareAndExchange(0, 1, 2)))
      .compose(found -> life.begin(region.close()));
  }

  private Future<?> liveWith(Life life, Rdma made) {
    life.begin(made.directory());
    life.begin(made.createServer().connectHandler(CloseAtAnyMomentTest::echo).listen(life.name));
    life.begin(made.createRegion(new RegionOptions().setName(life.name).setSize(LARGE).setAccess(RegionAccess.READ)))
      // Not composed, because the client's Vert.x does not end with that of the region.
      .onSuccess(region -> life.begin(client.openRegion(life.name, new RegionOpenOptions().setLookupTimeout(PATIENCE)))
        .onSuccess(remote -> life.begin(remote.read(0, LARGE))));
    life.begin(made.openRegion("stays")).onSuccess(remote -> life.begin(remote.read(0, LARGE)));
    return life.begin(made.connect("echo")).compose(connection -> talk(life, connection)).eventually(made::close);
  }

  @ParameterizedTest
  @EnumSource(names = {"CONNECTION", "ACCEPTED_CONNECTION", "OPENED_REGION"})
  void allEndsAndNothingIsLeft(Thing thing) throws Exception {
    closeAgainAndAgain(thing, MOMENTS);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("long")
  @Timeout(900)
  void closeAtManyMomentsLeavesNothing(Thing thing) throws Exception {
    closeAgainAndAgain(thing, Integer.getInteger("moments", MANY_MOMENTS));
  }

  private void closeAgainAndAgain(Thing thing, int moments) throws Exception {
    context = clientVertx.getOrCreateContext();
    serverVertx.exceptionHandler(unexpected::add);
    clientVertx.exceptionHandler(unexpected::add);
    await(server.createServer().connectHandler(connection -> {
      echo(connection);
      accepted.apply(connection);
    }).listen("echo"));
    await(server.createRegion(new RegionOptions().setName("stays").setSize(LARGE).setAccess(RegionAccess.READ)));
    long seed = Long.getLong("moments.seed", System.nanoTime());
    Random random = new Random(seed);
    String what = fabric() + ", " + thing + ", -Dmoments.seed=" + seed;
    // The first lives are longer, since classes are loaded.
    long whole = Long.MAX_VALUE;
    for (int i = 0; i < WHOLE; i++) {
      long began = System.nanoTime();
      await(begin(thing, new Life()));
      whole = Math.min(whole, System.nanoTime() - began);
    }
    await(client.connect("echo").compose(connection -> talk(new Life(), connection)));
    Leaks before = Leaks.snapshot();
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < moments; i++) {
      Life life = new Life();
      long until = random.nextLong(whole);
      Future<?> lived = begin(thing, life);
      while (life.close.get() == null && !lived.isComplete()) {
        Thread.onSpinWait();
      }
      long from = System.nanoTime();
      while (System.nanoTime() - from < until) {
        Thread.onSpinWait();
      }
      Supplier<Future<Void>> close = life.close.get();
      if (close != null) {
        life.begin(close.get());
      }
      judge(what + ", moment " + i + ", after " + until + " ns", life, lived, reasons);
    }
    accepted = connection -> Future.succeededFuture();
    await(client.connect("echo").compose(connection -> talk(new Life(), connection)));
    if (!unexpected.isEmpty()) {
      AssertionError thrown = new AssertionError(what + ": handlers threw");
      unexpected.forEach(thrown::addSuppressed);
      thrown.printStackTrace();
      throw thrown;
    }
    before.assertNoneSince();
    System.out.println(what + ": " + moments + " moments, " + reasons.size() + " calls failed");
  }

  private static void judge(String what, Life life, Future<?> lived, List<String> reasons) {
    until(what + ": its life is over", lived::isComplete);
    for (int i = 0; i < life.begun.size(); i++) {
      Future<?> each = life.begun.get(i);
      int number = i;
      until(what + ": call " + number + " ends", each::isComplete);
      if (each.failed()) {
        assertTrue(each.cause() instanceof RdmaException e && ENDS.contains(e.reason()),
          () -> what + ": call " + number + " failed with " + each.cause());
        reasons.add(((RdmaException) each.cause()).reason().name());
      }
    }
  }

  private Future<?> begin(Thing thing, Life life) {
    Promise<Void> over = Promise.promise();
    context.runOnContext(v -> thing.living.live(this, life).<Void>mapEmpty().onComplete(over));
    return over.future();
  }
}
