package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RdmLoopsTest {
  private static final int LOOPS = 6;
  private static final int MESSAGES = 300;

  @TempDir
  Path folder;

  private final InMemoryFabric fabric = InMemoryFabric.named(InMemoryFabric.DEFAULT);
  private final int openBefore = fabric.openEndpoints();
  private final Vertx servers = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
  private final Vertx clients = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() throws Exception {
    await(clients.close());
    await(servers.close());
  }

  private Rdma rdma(Vertx vertx, int loops) {
    return Rdma.create(vertx, new RdmaOptions().setFabric("memory-rdm").setMaxRdmLoops(loops)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString())));
  }

  private void check(String what, Context own) {
    if (Vertx.currentContext() != own) {
      wrong.add(what + " ran on " + Vertx.currentContext() + " instead of " + own);
    }
  }

  private final class Server extends VerticleBase {
    private final Rdma rdma;
    private final Set<Context> used;

    Server(Rdma rdma, Set<Context> used) {
      this.rdma = rdma;
      this.used = used;
    }

    @Override
    public Future<?> start() {
      return rdma.createServer().connectHandler(connection -> {
        check("connectHandler", context);
        used.add(context);
        connection.endHandler(v -> check("endHandler", context)).handler(message -> {
          check("handler", context);
          connection.write(message).onComplete(done -> check("write", context));
        });
      }).listen("echo");
    }
  }

  private final class Client extends VerticleBase {
    private final Rdma rdma;
    private final List<Client> finished;
    private int expected;

    Client(Rdma rdma, List<Client> finished) {
      this.rdma = rdma;
      this.finished = finished;
    }

    @Override
    public Future<?> start() {
      return rdma.connect("echo").onComplete(done -> check("connect", context)).onSuccess(connection -> {
        connection.closeHandler(v -> check("closeHandler", context)).exceptionHandler(e -> wrong.add(e.toString())).handler(message -> {
          check("handler", context);
          if (!message.equals(message(expected))) {
            wrong.add("message " + expected + " has " + message.length() + " bytes");
          }
          if (++expected == MESSAGES) {
            connection.close().onComplete(closed -> {
              check("close", context);
              finished.add(this);
            });
          }
        });
        for (int i = 0; i < MESSAGES; i++) {
          connection.write(message(i)).onComplete(done -> check("write", context));
        }
      });
    }
  }

  private static Buffer message(int number) {
    return Buffer.buffer(new byte[4 + (number % 50 == 49 ? 40_000 : number)]).setInt(0, number);
  }

  private void run(int loops, ThreadingModel threading) throws Exception {
    Rdma server = rdma(servers, loops);
    Rdma client = rdma(clients, loops);
    DeploymentOptions instances = new DeploymentOptions().setInstances(LOOPS).setThreadingModel(threading);
    Set<Context> used = ConcurrentHashMap.newKeySet();
    List<Client> finished = new CopyOnWriteArrayList<>();
    await(servers.deployVerticle(() -> new Server(server, used), instances));
    await(clients.deployVerticle(() -> new Client(client, finished), instances));
    await(clients.deployVerticle(() -> new Client(client, finished), instances));
    until("all messages came back", () -> finished.size() == 2 * LOOPS || !wrong.isEmpty());
    assertEquals(List.of(), List.copyOf(wrong));
    assertTrue(fabric.openEndpoints() - openBefore <= 2 * loops, () -> fabric.openEndpoints() + " endpoints are open");
    System.out.println("connections of " + LOOPS + " event loops over " + loops + " with endpoints reached " + used.size() + " instances");
  }

  @Test
  void eventLoopsShareTwo() throws Exception {
    run(2, ThreadingModel.EVENT_LOOP);
  }

  @Test
  void workersShareOne() throws Exception {
    run(1, ThreadingModel.WORKER);
  }

  @Test
  void virtualThreadsShareOne() throws Exception {
    run(1, ThreadingModel.VIRTUAL_THREAD);
  }
}
