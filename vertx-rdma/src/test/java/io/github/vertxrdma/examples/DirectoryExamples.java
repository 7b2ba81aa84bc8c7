package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.vertx.core.Future;

/** The code of docs/directory.adoc. */
final class DirectoryExamples {
  private DirectoryExamples() {
  }

  // tag::peers[]
  /** A node at 10.0.0.2 that knows the node at 10.0.0.1, which needs no list. */
  static RdmaOptions knowing() {
    return new RdmaOptions().setHost("10.0.0.2").setControlPort(4710)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.STATIC).addPeer("10.0.0.1:4710"));
  }
  // end::peers[]

  // tag::watch[]
  static Future<DirectoryWatch> watch(Rdma rdma) {
    return rdma.directory().map(directory -> directory.watch(event -> System.out.println(event.type() + " " + event.entry())));
  }
  // end::watch[]
}
