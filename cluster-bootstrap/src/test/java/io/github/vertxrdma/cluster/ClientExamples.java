package io.github.vertxrdma.cluster;

import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The code of docs/event-bus.adoc. */
final class ClientExamples {
  private ClientExamples() {
  }

  // tag::settings[]
  /** @param member of the cluster, such as 10.0.0.1:5701 */
  static Rdma join(Vertx vertx, RdmaOptions options, String cluster, String member) {
    return Rdma.create(vertx, options.setDirectory(new DirectoryOptions().setType(HazelcastDirectory.TYPE)
      .setSettings(new JsonObject().put("cluster", cluster).put("members", new JsonArray().add(member)))));
  }
  // end::settings[]

  // tag::instance[]
  static Future<Rdma> join(Vertx vertx, RdmaOptions options, HazelcastInstance client) {
    return HazelcastDirectory.open(vertx, client, new DirectoryOptions()).map(directory -> Rdma.create(vertx, options, directory));
  }
  // end::instance[]
}
