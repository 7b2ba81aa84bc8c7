package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.impl.peers.Authorization;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TransportOptionsTest {
  @TempDir
  Path folder;

  private TransportOptions load(String json) throws Exception {
    Path file = Files.writeString(folder.resolve("options.json"), json.replace('\'', '"'));
    System.setProperty(TransportOptions.FILE, file.toString());
    try {
      return TransportOptions.load();
    } finally {
      System.clearProperty(TransportOptions.FILE);
    }
  }

  @Test
  void fileHasOptionsOfTheTransportBesideThoseOfTheNode() throws Exception {
    TransportOptions options = load("{'fabric': 'nio', 'transport': {'eventBus': false, 'streams': 'all'}}");
    assertEquals("nio", options.rdma().getFabric());
    assertFalse(options.eventBus());
    assertTrue(options.streams());
    assertFalse(load("{'transport': null}").streams());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "{'transprot': {}}                 | are wrong: RdmaOptions: unknown key 'transprot'; did you mean 'transport'?",
    "{'transport': 'all'}              | are wrong: RdmaOptions: 'transport' must be an object, but is all",
    "{'transport': {'stream': 'all'}}  | are wrong: transport: unknown key 'stream'; did you mean 'streams'?",
    "{'transport': {'streams': true}}  | are wrong: transport: 'streams' must be text, but is true",
    "{'transport': {'streams': 'any'}} | are wrong: vertx.rdma.streams",
    "{'fabrics': 'shm'}                | are wrong: RdmaOptions: unknown key 'fabrics'; did you mean 'fabric'?",
    "{'fabric'                         | are not valid JSON: "})
  void mistakeIsReportedWithTheFile(String json, String told) {
    String message = assertThrows(IllegalArgumentException.class, () -> load(json)).getMessage();
    assertTrue(message.startsWith("The options of vertx-rdma in " + folder.resolve("options.json") + ' ' + told), message);
  }

  private static <T> T withContextLoader(ClassLoader loader, Callable<T> call) throws Exception {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return call.call();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private URL resource(String name, String json) throws Exception {
    Path jar = Files.createDirectories(folder.resolve(name));
    Files.writeString(jar.resolve(TransportOptions.RESOURCE), json.replace('\'', '"'));
    return jar.toUri().toURL();
  }

  @Test
  void resourceOfTheContextClassLoaderIsReadAndNamedInTheLogWhenItIsUsed() throws Exception {
    URL first = resource("first", "{'fabric': 'nio'}");
    URL second = resource("second", "{'fabric': 'shm'}");
    try (URLClassLoader loader = new URLClassLoader(new URL[] {first, second}, null);
      LogLines log = new LogLines(TransportOptions.class)) {
      TransportOptions options = withContextLoader(loader, TransportOptions::load);
      assertEquals("nio", options.rdma().getFabric());
      assertEquals(1, log.lines().size(), log.lines().toString());
      options.used();
      assertTrue(log.lines().contains("vertx-rdma uses the options in " + first + TransportOptions.RESOURCE), log.lines().toString());
      assertEquals(1, log.warnings().size(), log.warnings().toString());
      String several = log.warnings().getFirst();
      assertTrue(several.startsWith("The class path has several vertx-rdma.json: " + first) && several.contains(second.toString()),
        several);
      withContextLoader(loader, TransportOptions::load).used();
      assertEquals(2, log.lines().size(), "each is logged once: " + log.lines());
    }
  }

  @Test
  void mistakeInAResourceIsReportedWithItsAddress() throws Exception {
    URL jar = resource("wrong", "{'fabrics': 'nio'}");
    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar}, null)) {
      String message = assertThrows(IllegalArgumentException.class, () -> withContextLoader(loader, TransportOptions::load)).getMessage();
      assertTrue(message.startsWith("The options of vertx-rdma in " + jar + TransportOptions.RESOURCE + " are wrong: "), message);
    }
  }

  @Test
  void authorizerIsFoundOnThreadsWhoseContextClassLoaderLacksIt() throws Exception {
    RdmaOptions options = new RdmaOptions().setAuthorizerClass(Lenient.class.getName());
    for (ClassLoader loader : new ClassLoader[] {ClassLoader.getPlatformClassLoader(), null}) {
      assertInstanceOf(Lenient.class, withContextLoader(loader, () -> Authorization.authorizer(options)));
    }
    String message = assertThrows(IllegalArgumentException.class, () -> withContextLoader(ClassLoader.getPlatformClassLoader(),
      () -> Authorization.authorizer(new RdmaOptions().setAuthorizerClass("no.such.Class")))).getMessage();
    assertTrue(message.contains("no.such.Class, which is not on the class path: the class loaders of thread '"
      + Thread.currentThread().getName() + "' (") && message.contains("'platform') and of vertx-rdma ("), message);
  }

  public static final class Lenient implements RdmaAuthorizer {
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "off"})
  void requireEncryptionOfTheProcessBindsOtherOptions(String transport) throws Exception {
    Path file = Files.writeString(folder.resolve("options.json"), "{\"requireEncryption\": true}");
    System.setProperty(TransportOptions.FILE, file.toString());
    System.setProperty("vertx.rdma", transport);
    Vertx vertx = Vertx.vertx();
    try {
      RdmaOptions own = StackSettings.options(folder, "nio");
      JsonObject service = new RdmaBusServiceOptions().setRdma(own).toJson();
      for (Future<?> future : List.of(Rdma.create(vertx, own).connect("orders"),
        Rdma.create(vertx, own).createServer().connectHandler(connection -> {}).listen("orders"),
        vertx.deployVerticle("rdma:orders", new DeploymentOptions().setConfig(service)))) {
        String failure = failure(future);
        assertTrue(failure.contains(" is refused, since requireEncryption is set"), failure);
      }
    } finally {
      System.clearProperty("vertx.rdma");
      System.clearProperty(TransportOptions.FILE);
      await(vertx.close());
    }
  }

  private static String failure(Future<?> future) {
    return assertThrows(Throwable.class, () -> await(future)).toString();
  }

  /** A child process with the resource on its class path, whose threads have a context class loader that lacks everything. */
  @Test
  void resourceOfTheLibrarysLoaderIsReadOnAnyThread() throws Exception {
    resource("application", "{'requireEncryption': true}");
    try (ChildJvm child = ChildJvm.startOn(folder.resolve("application") + File.pathSeparator + System.getProperty("java.class.path"),
      PoolThreadMain.class, folder.toString())) {
      String refused = "listening as 'orders' is refused, since requireEncryption is set";
      assertTrue(child.await("own ").contains(refused));
      assertTrue(child.await("given ").contains(refused));
      assertEquals(0, child.waitFor());
    }
  }

  static final class PoolThreadMain {
    public static void main(String[] arguments) throws Exception {
      System.setProperty("vertx.rdma.runtime", Path.of(arguments[0], "run").toString());
      Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
      Vertx vertx = Vertx.vertx();
      RdmaOptions given = StackSettings.options(Path.of(arguments[0]), "nio");
      System.out.println("own " + outcome(Rdma.create(vertx).createServer().connectHandler(c -> {}).listen("orders")));
      System.out.println("given " + outcome(Rdma.create(vertx, given).createServer().connectHandler(c -> {}).listen("orders")));
      await(vertx.close());
      System.exit(0);
    }

    private static String outcome(Future<?> future) {
      try {
        await(future);
        return "nothing is refused";
      } catch (Exception e) {
        return e.toString();
      }
    }
  }
}
