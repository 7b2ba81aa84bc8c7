package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.codegen.annotations.DataObject;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class OptionsCopiedTest extends FabricPair {
  private static final String NONE = "no such fabric";
  private ServiceEntry plain;

  /** Calls that take options. Each changes the options after the call: if the call saw the change, it would fail or differ. */
  private enum Call {
    CREATE(RdmaOptions.class, test -> {
      RdmaOptions options = test.options();
      Rdma rdma = Rdma.create(test.clientVertx, options);
      options.setFabric(NONE);
      return rdma.connect("plain");
    }),
    CREATE_WITH_DIRECTORY(DirectoryOptions.class, test -> {
      RdmaOptions options = test.options();
      Rdma rdma = Rdma.create(test.clientVertx, options);
      options.getDirectory().setPath(test.folder.resolve("another").toString());
      return rdma.connect("plain");
    }),
    CONNECT_BY_NAME(RdmaConnectOptions.class, test -> {
      RdmaConnectOptions options = new RdmaConnectOptions();
      Future<?> future = test.client.connect("plain", options);
      options.setFabric(NONE);
      return future;
    }),
    CONNECT_TO_INSTANCE(RdmaConnectOptions.class, test -> {
      Buffer data = Buffer.buffer("hello");
      RdmaConnectOptions options = new RdmaConnectOptions().setPrivateData(data);
      Future<?> future = test.client.connect(test.plain, options);
      data.setString(0, "other");
      options.setFabric(NONE);
      return future;
    }),
    OPEN_REGION(RegionOpenOptions.class, test -> {
      RegionOpenOptions options = new RegionOpenOptions();
      Future<?> future = test.client.openRegion("table", options);
      options.setFabric(NONE);
      return future;
    }),
    PING(PingOptions.class, test -> {
      PingOptions options = new PingOptions().setCount(1).setSize(8);
      Future<?> future = test.client.ping("plain", options).map(reports -> {
        reports.forEach(report -> assertEquals("", report.failure()));
        return null;
      });
      options.setFabric(NONE);
      return future;
    }),
    CREATE_REGION(RegionOptions.class, test -> {
      RegionOptions options = new RegionOptions().setName("mine").setSize(64).setAccess(RegionAccess.READ);
      Future<?> future = test.client.createRegion(options).map(region -> {
        assertEquals("mine", region.name());
        assertEquals(Set.of(RegionAccess.READ), region.access());
        return null;
      });
      options.setName("another").setAccess(RegionAccess.WRITE).addFabric(NONE);
      return future;
    }),
    LISTEN(RdmaServerOptions.class, test -> {
      RdmaServerOptions options = new RdmaServerOptions().setMetadata(new JsonObject().put("zone", "a"));
      RdmaServer created = test.client.createServer(options).connectHandler(connection -> {});
      options.getMetadata().put("zone", "b");
      return created.listen("own").compose(listening -> test.client.directory()).map(directory -> {
        assertEquals("a", directory.services("own").getFirst().metadata().getString("zone"));
        return null;
      });
    }),
    CONNECT_BUS(RdmaBusClientOptions.class, test -> {
      RdmaBusClientOptions options = new RdmaBusClientOptions();
      Future<?> future = test.client.connectBus("bus", options);
      options.setFabric(NONE);
      return future;
    }),
    SERVE_BUS(RdmaBusServiceOptions.class, test -> {
      RdmaBusServiceOptions options = new RdmaBusServiceOptions().setRdma(test.options());
      Future<?> future = test.clientVertx.deployVerticle("rdma:mine", new DeploymentOptions().setConfig(options.toJson()));
      options.getRdma().setFabric(NONE);
      return future;
    });

    private final Class<?> options;
    private final Function<OptionsCopiedTest, Future<?>> call;

    Call(Class<?> options, Function<OptionsCopiedTest, Future<?>> call) {
      this.options = options;
      this.call = call;
    }
  }

  @BeforeEach
  void serve() throws Exception {
    await(server.createServer().connectHandler(connection -> {}).listen("plain"));
    plain = await(server.directory()).services("plain").getFirst();
    await(server.createRegion(new RegionOptions().setName("table").setSize(64).setAccess(RegionAccess.READ)));
    await(
      serverVertx.deployVerticle("rdma:bus", new DeploymentOptions().setConfig(new RdmaBusServiceOptions().setRdma(options()).toJson())));
  }

  /** The node of the client starts during the call, so most of the call happens after the change. */
  @ParameterizedTest
  @EnumSource(Call.class)
  void changeAfterTheCallHasNoEffect(Call call) throws Exception {
    await(call.call.apply(this));
  }

  @Test
  void everyOptionsClassIsTested() {
    Set<String> tried = new TreeSet<>();
    Arrays.stream(Call.values()).forEach(call -> tried.add(call.options.getSimpleName()));
    Set<String> there = new ClassFileImporter().importPath("target/classes").stream()
      .filter(type -> type.isAnnotatedWith(DataObject.class) && type.getSimpleName().endsWith("Options"))
      .map(JavaClass::getSimpleName).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(there, tried);
  }
}
