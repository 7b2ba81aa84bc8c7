package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.attack.Games;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A member on another host, which asks for a stream for an idle connection at a loopback address of the pair's host. Arguments: the fabric,
 * a folder for the directory, then names and values of system properties. Commands: the ports of the server and of its client.
 */
final class FarMember implements Games.LastingAttack {
  private static final int QUESTIONS = 10;

  private final ChildJvm process;

  private FarMember(ChildJvm process) {
    this.process = process;
  }

  /** @param program command that starts it on the other host */
  static FarMember start(List<String> program, String... arguments) throws IOException {
    return new FarMember(ChildJvm.startBy(program, FarMember.class, arguments));
  }

  @Override
  public void play(Games.Invitation to, int game, long seed) throws Exception {
    for (int i = 0; i < QUESTIONS; i++) {
      process.send(to.ports().getFirst() + " " + to.ports().getLast());
      assertNotEquals("taken", process.await("got "), "a stream for a connection at a loopback address of another host");
    }
  }

  @Override
  public void close() {
    process.close();
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 2; i < arguments.length; i += 2) {
      System.setProperty(arguments[i], arguments[i + 1]);
    }
    AttackedNodes.configure(arguments[0], Path.of(arguments[1]), null);
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx);
    RdmaDirectory directory = TestCluster.await(rdma.directory());
    for (String line = IO.readln(); line != null; line = IO.readln()) {
      String[] ports = line.split(" ");
      Await.until("the server is known", () -> !directory.services("tcp/" + AttackedServices.HOST + ':' + ports[0]).isEmpty());
      System.out.println("got " + BoundaryProcess.taken(vertx, rdma, Integer.parseInt(ports[1]), Integer.parseInt(ports[0])));
    }
    Runtime.getRuntime().halt(0);
  }
}
