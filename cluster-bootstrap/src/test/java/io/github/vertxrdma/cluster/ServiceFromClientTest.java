package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
@Tag("full")
class ServiceFromClientTest extends MembersFixture {
  private static final RdmaBusClientOptions PATIENT = new RdmaBusClientOptions().setLookupTimeout(Duration.ofSeconds(30));

  private Vertx clustered;

  @BeforeEach
  void start() throws Exception {
    clustered = ClusteredVertxTest.clustered(port);
  }

  @AfterEach
  void stop() throws Exception {
    await(clustered.close());
  }

  private static RdmaOptions options() {
    return new RdmaOptions().setFabric("nio");
  }

  private String serve() throws Exception {
    clustered.eventBus().<JsonObject>consumer("orders", order -> {
      if (order.body().getInteger("amount") > 100) {
        order.fail(413, "too many");
      } else {
        order.reply(order.headers().get("who") + " has ordered");
      }
    });
    return await(clustered.deployVerticle("rdma:orders",
      new DeploymentOptions().setConfig(new RdmaBusServiceOptions().setRdma(options()).toJson())));
  }

  private static void order(RdmaBusClient orders) throws Exception {
    Message<String> reply = await(orders.request(new JsonObject().put("amount", 3),
      new DeliveryOptions().addHeader("who", "a client")));
    assertEquals("a client has ordered", reply.body());
    Throwable refused = assertThrows(ExecutionException.class, () -> await(orders.request(new JsonObject().put("amount", 101)))).getCause();
    assertEquals(ReplyFailure.RECIPIENT_FAILURE, ((ReplyException) refused).failureType());
    assertEquals(413, ((ReplyException) refused).failureCode());
  }

  private HazelcastInstance members() {
    return ((HazelcastClusterManager) ((VertxInternal) clustered).clusterManager()).getHazelcastInstance();
  }

  @Test
  void clientWithDirectorySettingsFindsTheService() throws Exception {
    String deployment = serve();
    Rdma rdma = ClientExamples.join(vertx, options(), "test-" + port, "127.0.0.1:" + port);
    RdmaBusClient orders = await(rdma.connectBus("orders", PATIENT));
    order(orders);
    assertEquals("nio", orders.fabric().device());
    assertFalse(vertx.isClustered());
    await(clustered.undeploy(deployment));
    RdmaDirectory directory = await(rdma.directory());
    until("it is gone", () -> directory.services("orders").isEmpty());
    assertEquals(RdmaException.Reason.NOT_FOUND, ((RdmaException) assertThrows(ExecutionException.class,
      () -> await(rdma.connectBus("orders", new RdmaBusClientOptions().setLookupTimeout(Duration.ofMillis(100))))).getCause()).reason());
    serve();
    order(await(rdma.connectBus("orders", PATIENT)));
    await(rdma.close());
    until("the client has left", () -> members().getClientService().getConnectedClients().isEmpty());
  }

  @Test
  @Tag("full")
  void clientWithItsOwnHazelcastFindsTheService() throws Exception {
    serve();
    HazelcastInstance client = HazelcastClient.newHazelcastClient(clientConfig());
    try {
      Rdma rdma = await(ClientExamples.join(vertx, options(), client));
      order(await(rdma.connectBus("orders", PATIENT)));
      await(rdma.createServer().connectHandler(connection -> {}).listen("prices"));
      Rdma member = Rdma.create(clustered, options());
      await(await(member.directory()).awaitServices("prices", Duration.ofSeconds(30)));
      await(rdma.close());
      assertTrue(client.getLifecycleService().isRunning(), "the instance is the caller's");
    } finally {
      client.shutdown();
    }
  }
}
