package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.impl.peers.Authorization;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class AuthorizerClassTest extends BusServicePair {
  private static final String HERE = "io.github.vertxrdma.AuthorizerClassTest$";

  private final List<Rdma> opened = new ArrayList<>();

  public static final class Careful implements RdmaAuthorizer {
    static final AtomicInteger MADE = new AtomicInteger();

    public Careful() {
      MADE.incrementAndGet();
    }

    @Override
    public boolean mayConnect(String nodeId, String service) {
      return !service.equals("secret");
    }
  }

  static final class Hidden implements RdmaAuthorizer {
  }

  public abstract static class Unfinished implements RdmaAuthorizer {
  }

  public static final class Particular implements RdmaAuthorizer {
    public Particular(String parameter) {
      assertFalse(parameter.isEmpty());
    }
  }

  public static final class Broken implements RdmaAuthorizer {
    public Broken() {
      throw new IllegalStateException("no list of nodes");
    }
  }

  @AfterEach
  void close() throws Exception {
    System.clearProperty(Authorization.CLASS);
    for (Rdma rdma : opened) {
      await(rdma.close());
    }
  }

  private RdmaOptions named(String name) {
    return new RdmaOptions(options().toJson().put("authorizerClass", HERE + name));
  }

  private Rdma open(RdmaOptions options) {
    Rdma rdma = Rdma.create(serverVertx, options);
    opened.add(rdma);
    return rdma;
  }

  private void assertSecretIsRefused(Rdma rdma) throws Exception {
    for (String name : List.of("secret", "open")) {
      await(rdma.createServer().connectHandler(connection -> {}).listen(name));
    }
    String words = cause(client.connect("secret")).getMessage();
    assertTrue(words.contains("may not connect to 'secret'"), words);
    await(await(client.connect("open")).close());
  }

  @Test
  void nameOfTheClassIsConvertedToAndFromJson() {
    JsonObject json = named("Careful").toJson();
    assertEquals(HERE + "Careful", json.getString("authorizerClass"));
    assertEquals(HERE + "Careful", new RdmaOptions(new RdmaOptions(json)).getAuthorizerClass());
    assertEquals(json, new RdmaOptions(json).toJson());
    assertNull(new RdmaOptions(new RdmaOptions().toJson()).getAuthorizerClass());
  }

  @Test
  void nodesOfOptionsInJsonAskIt() throws Exception {
    assertSecretIsRefused(open(named("Careful")));
  }

  @Test
  void nodesAskTheOneThatTheProcessNamesWhereOptionsHaveNone() throws Exception {
    System.setProperty(Authorization.CLASS, HERE + "Careful");
    // A node with these options runs already, and another one is requested.
    assertSecretIsRefused(open(options().setSuspectTimeout(Duration.ofMillis(2_001))));
  }

  @Test
  void verticlesThatServeTheEventBusAskIt() throws Exception {
    JsonObject config = new RdmaBusServiceOptions().setRdma(named("Careful")).toJson();
    for (String name : List.of("secret", "open")) {
      serverVertx.eventBus().consumer(name, message -> message.reply(message.body()));
      await(serverVertx.deployVerticle("rdma:" + name, new DeploymentOptions().setConfig(config)));
    }
    assertEquals("hello", await(connect("open").request("hello")).body());
    String words = assertThrows(ExecutionException.class, () -> await(client.connectBus("secret", new RdmaBusClientOptions()
      .setLookupTimeout(Duration.ofHours(1))))).getCause().getMessage();
    assertTrue(words.contains("may not connect to 'secret'"), words);
  }

  @Test
  void thereIsOneOfEachClassSoTheSameOptionsAreOneNode() throws Exception {
    Rdma one = open(named("Careful"));
    Rdma other = open(named("Careful"));
    assertEquals(await(one.directory()).nodeId(), await(other.directory()).nodeId());
    assertEquals(1, Careful.MADE.get());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "Missing    | is not on the class path",
    "Hidden     | has to be a public class that is not abstract",
    "Unfinished | has to be a public class that is not abstract",
    "Particular | has no public constructor without parameters",
    "Broken     | its constructor threw java.lang.IllegalStateException: no list of nodes"})
  void aClassThatCannotServeIsRefusedByName(String name, String why) {
    String words = cause(open(named(name)).directory()).getMessage();
    assertTrue(words.startsWith("authorizerClass names the authorizer " + HERE + name + ", which ") && words.contains(why), words);
  }

  @Test
  void aClassOfAnotherKindIsRefusedByName() {
    String words = cause(open(options().setAuthorizerClass("java.lang.String")).directory()).getMessage();
    assertTrue(words.contains("java.lang.String, which does not implement io.github.vertxrdma.RdmaAuthorizer"), words);
  }

  @Test
  void anAuthorizerAndAClassAreRefused() {
    String words = cause(open(named("Careful").setAuthorizer(new Hidden())).directory()).getMessage();
    assertTrue(words.contains("Remove one of them"), words);
  }

  @Test
  void wrongClassNameIsReported() {
    System.setProperty(Authorization.CLASS, "nobody.Here");
    String words = cause(open(options().setSuspectTimeout(Duration.ofMillis(2_002))).directory()).getMessage();
    assertTrue(words.startsWith("vertx.rdma.authorizer (VERTX_RDMA_AUTHORIZER) names the authorizer nobody.Here"), words);
  }
}
