package io.github.vertxrdma.upgrade;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Vertx;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;

/**
 * A node in a same-host directory. Uses only the API of the first build with ranges of versions. Arguments: a folder, the name of the node
 * and its service, the runtime folder. Connects with each service on its standard input, until {@code stop}.
 */
final class FolderNode {
  private FolderNode() {
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("vertx.rdma.runtime", arguments[2]);
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions()
      .setType(DirectoryOptions.SAME_HOST).setPath(arguments[0]).setGroup("upgrade").setNodeId(arguments[1])));
    rdma.createServer().connectHandler(connection -> {}).listen(arguments[1]).await(1, TimeUnit.MINUTES);
    System.out.println("ready");
    Scanner in = new Scanner(System.in);
    for (String peer = in.next(); !peer.equals("stop"); peer = in.next()) {
      rdma.connect(peer).compose(connection -> connection.close()).await(1, TimeUnit.MINUTES);
      System.out.println("connected with " + peer);
    }
    vertx.close().await(1, TimeUnit.MINUTES);
    System.exit(0);
  }
}
