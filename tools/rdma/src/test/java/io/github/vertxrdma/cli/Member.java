package io.github.vertxrdma.cli;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.provider.contract.FixedPorts;
import io.vertx.core.Vertx;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;

/** A process with a member of a Hazelcast cluster, which ends when its parent closes the standard input. Prints its node's id. */
final class Member {
  private static final int MEMBERS = 3;

  private Member() {
  }

  static int freePorts() throws IOException {
    return FixedPorts.free(MEMBERS);
  }

  static String cluster(int firstPort) {
    return "cli-test-" + firstPort;
  }

  static Vertx clustered(int firstPort) {
    return Membership.await(Vertx.builder()
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback(cluster(firstPort), firstPort, MEMBERS))).buildClustered());
  }

  /** @param arguments the first port of the cluster, and the name of a service */
  public static void main(String[] arguments) throws IOException {
    // Tests read the log from the standard output.
    System.setErr(System.out);
    try {
      Rdma rdma = Rdma.create(clustered(Integer.parseInt(arguments[0])), new RdmaOptions().setFabric("nio"));
      Membership.await(rdma.createServer().connectHandler(connection -> connection.handler(connection::write)).listen(arguments[1]));
      System.out.println("node " + Membership.await(rdma.directory()).nodeId());
      System.in.read();
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }
}
