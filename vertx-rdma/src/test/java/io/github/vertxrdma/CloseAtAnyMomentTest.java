package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.Leaks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Another thread closes each object at every moment of its life: everything ends with success or a permitted reason, other objects
 * continue, and nothing is left.
 */
@Timeout(300)
class CloseAtAnyMomentTest {
  private static final int MOMENTS = 15;
  private static final int MANY_MOMENTS = 200;
  private static final int WHOLE = 3;
  private static final int LARGE = 100_000;
  private static final AtomicInteger LIVES = new AtomicInteger();
  private static final Set<Reason> ENDS = EnumSet.of(Reason.CLOSED, Reason.CONNECTION_LOST, Reason.REVOKED, Reason.NOT_FOUND,
    Reason.UNREACHABLE,
    Reason.REJECTED);

  @TempDir
  Path folder;
  private final Vertx serverVertx = vertx();
  private final Vertx clientVertx = vertx();
  private final Context context = clientVertx.getOrCreateContext();
  private final List<Throwable> unexpected = new CopyOnWriteArrayList<>();
  private String fabric;
  private Rdma server;
  private Rdma client;
  private volatile Function<RdmaConnection, Future<Void>> accepted = connection -> Future.succeededFuture();

  private static Vertx vertx() {
    return Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
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

  private enum Thing {
    CONNECTION {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        return life.begin(test.client.connect("echo")).onSuccess(connection -> life.isClosedBy(connection::close))
          .compose(connection -> talk(life, connection));
      }
    },
    ACCEPTED_CONNECTION {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        test.accepted = connection -> {
          life.isClosedBy(connection::close);
          return Future.succeededFuture();
        };
        return life.begin(test.client.connect("echo")).compose(connection -> talk(life, connection));
      }
    },
    SERVER {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        RdmaServer made = test.server.createServer().connectHandler(CloseAtAnyMomentTest::echo);
        life.isClosedBy(made::close);
        return life.begin(made.listen(life.name)).compose(v -> life.begin(test.client.connect(life.name, impatient())))
          .compose(connection -> talk(life, connection));
      }
    },
    REGION {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        return test.share(life).compose(region -> {
          life.isClosedBy(region::close);
          return life.begin(test.client.openRegion(life.name, new RegionOpenOptions().setLookupTimeout(PATIENCE)))
            .compose(remote -> use(life, remote)).eventually(region::close);
        });
      }
    },
    REVOKED_REGION {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        return test.share(life).compose(region -> {
          life.isClosedBy(region::revoke);
          return life.begin(test.client.openRegion(life.name, new RegionOpenOptions().setLookupTimeout(PATIENCE)))
            .compose(remote -> use(life, remote)).eventually(region::close);
        });
      }
    },
    OPENED_REGION {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        return test.share(life).compose(region -> test.client.openRegion(life.name).compose(remote -> {
          life.isClosedBy(remote::close);
          return use(life, remote);
        }).eventually(region::close));
      }
    },
    RDMA {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        Rdma made = Rdma.create(test.clientVertx, test.options());
        life.isClosedBy(made::close);
        return test.liveWith(life, made);
      }
    },
    VERTX {
      @Override
      Future<?> live(CloseAtAnyMomentTest test, Life life) {
        Vertx made = vertx();
        made.exceptionHandler(test.unexpected::add);
        life.isClosedBy(made::close);
        // Not composed, because a listener on a context of a closed Vert.x is never called.
        Promise<Void> over = Promise.promise();
        test.liveWith(life, Rdma.create(made, test.options())).onComplete(lived -> made.close().onComplete(over));
        return over.future();
      }
    };

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** @return completes at the object's end, unless it is closed */
    abstract Future<?> live(CloseAtAnyMomentTest test, Life life);

    private static RdmaConnectOptions impatient() {
      return new RdmaConnectOptions().setLookupTimeout(PATIENCE);
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
      .onSuccess(region -> life.begin(client.openRegion(life.name, new RegionOpenOptions().setLookupTimeout(Thing.PATIENCE)))
        .onSuccess(remote -> life.begin(remote.read(0, LARGE))));
    life.begin(made.openRegion("stays")).onSuccess(remote -> life.begin(remote.read(0, LARGE)));
    return life.begin(made.connect("echo")).compose(connection -> talk(life, connection)).eventually(made::close);
  }

  static Stream<Arguments> all() {
    return Stream.of("nio", "shm", "tcp", "rxm", "memory").flatMap(fabric -> Stream.of(Thing.values())
      .map(thing -> Arguments.of(fabric, thing)));
  }

  @ParameterizedTest
  @EnumSource(names = {"CONNECTION", "ACCEPTED_CONNECTION", "OPENED_REGION"})
  void allEndsAndNothingIsLeft(Thing thing) throws Exception {
    closeAgainAndAgain("shm", thing, MOMENTS);
  }

  @ParameterizedTest
  @MethodSource("all")
  @Tag("long")
  @Timeout(900)
  void closeAtManyMomentsLeavesNothing(String of, Thing thing) throws Exception {
    closeAgainAndAgain(of, thing, Integer.getInteger("moments", MANY_MOMENTS));
  }

  @AfterEach
  void end() throws Exception {
    await(clientVertx.close());
    await(serverVertx.close());
  }

  private void closeAgainAndAgain(String of, Thing thing, int moments) throws Exception {
    fabric = of;
    serverVertx.exceptionHandler(unexpected::add);
    clientVertx.exceptionHandler(unexpected::add);
    server = Rdma.create(serverVertx, options());
    client = Rdma.create(clientVertx, options());
    try {
      await(server.createServer().connectHandler(connection -> {
        echo(connection);
        accepted.apply(connection);
      }).listen("echo"));
    } catch (ExecutionException e) {
      assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == Reason.UNSUPPORTED, e.getCause().getMessage());
      throw e;
    }
    await(server.createRegion(new RegionOptions().setName("stays").setSize(LARGE).setAccess(RegionAccess.READ)));
    long seed = Long.getLong("moments.seed", System.nanoTime());
    Random random = new Random(seed);
    String what = of + ", " + thing + ", -Dmoments.seed=" + seed;
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
    context.runOnContext(v -> thing.live(this, life).<Void>mapEmpty().onComplete(over));
    return over.future();
  }

  private RdmaOptions options() {
    return new RdmaOptions().setFabric(fabric).setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.resolve("directory").toString()));
  }
}
