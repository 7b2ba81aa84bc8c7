package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Options are copied where they are given: a change of them after the call changes nothing, although the call goes on. */
@Timeout(60)
class OptionsCopiedTest extends FabricPair {
  private static final String NONE = "no such fabric";
  private ServiceEntry plain;

  /** Calls with options; each changes them so that they would fail, or do another thing. */
  private enum Call {
    CREATE(RdmaOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RdmaOptions options = test.options();
        Rdma rdma = Rdma.create(test.clientVertx, options);
        options.setFabric(NONE);
        return rdma.connect("plain");
      }
    },
    CREATE_WITH_DIRECTORY(DirectoryOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RdmaOptions options = test.options();
        Rdma rdma = Rdma.create(test.clientVertx, options);
        options.getDirectory().setPath(test.folder.resolve("another").toString());
        return rdma.connect("plain");
      }
    },
    CONNECT_BY_NAME(RdmaConnectOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RdmaConnectOptions options = new RdmaConnectOptions();
        Future<?> future = test.client.connect("plain", options);
        options.setFabric(NONE);
        return future;
      }
    },
    CONNECT_TO_INSTANCE(RdmaConnectOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        Buffer said = Buffer.buffer("hello");
        RdmaConnectOptions options = new RdmaConnectOptions().setPrivateData(said);
        Future<?> future = test.client.connect(test.plain, options);
        said.setString(0, "other");
        options.setFabric(NONE);
        return future;
      }
    },
    OPEN_REGION(RegionOpenOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RegionOpenOptions options = new RegionOpenOptions();
        Future<?> future = test.client.openRegion("table", options);
        options.setFabric(NONE);
        return future;
      }
    },
    PING(PingOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        PingOptions options = new PingOptions().setCount(1).setSize(8);
        Future<?> future = test.client.ping("plain", options).map(reports -> {
          reports.forEach(report -> assertEquals("", report.failure()));
          return null;
        });
        options.setFabric(NONE);
        return future;
      }
    },
    CREATE_OFFER(RdmaOfferOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RdmaOfferOptions options = new RdmaOfferOptions();
        Future<?> future = test.client.createOffer(options);
        options.setFabric(NONE);
        return future;
      }
    },
    CREATE_REGION(RegionOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RegionOptions options = new RegionOptions().setName("mine").setSize(64).setAccess(RegionAccess.READ);
        Future<?> future = test.client.createRegion(options).map(region -> {
          assertEquals("mine", region.name());
          assertEquals(Set.of(RegionAccess.READ), region.access());
          return null;
        });
        options.setName("another").setAccess(RegionAccess.WRITE).addFabric(NONE);
        return future;
      }
    },
    LISTEN(RdmaServerOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RdmaServerOptions options = new RdmaServerOptions().setMetadata(new JsonObject().put("zone", "a"));
        RdmaServer created = test.client.createServer(options).connectHandler(connection -> { });
        options.getMetadata().put("zone", "b");
        return created.listen("own").compose(listening -> test.client.directory()).map(directory -> {
          assertEquals("a", directory.services("own").getFirst().metadata().getString("zone"));
          return null;
        });
      }
    },
    CONNECT_BUS(RdmaBusClientOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RdmaBusClientOptions options = new RdmaBusClientOptions();
        Future<?> future = test.client.connectBus("bus", options);
        options.setFabric(NONE);
        return future;
      }
    },
    SERVE_BUS(RdmaBusServiceOptions.class) {
      @Override
      Future<?> of(OptionsCopiedTest test) {
        RdmaBusServiceOptions options = new RdmaBusServiceOptions().setRdma(test.options());
        Future<?> future = test.clientVertx.deployVerticle("rdma:mine", new DeploymentOptions().setConfig(options.toJson()));
        options.getRdma().setFabric(NONE);
        return future;
      }
    };

    private final Class<?> options;

    Call(Class<?> options) {
      this.options = options;
    }

    abstract Future<?> of(OptionsCopiedTest test);
  }

  @BeforeEach
  void serve() throws Exception {
    await(server.createServer().connectHandler(connection -> { }).listen("plain"));
    plain = await(server.directory()).services("plain").getFirst();
    await(server.createRegion(new RegionOptions().setName("table").setSize(64).setAccess(RegionAccess.READ)));
    await(serverVertx.deployVerticle("rdma:bus", new DeploymentOptions().setConfig(new RdmaBusServiceOptions().setRdma(options()).toJson())));
  }

  /** The node of the client starts in the call, so that most of it is done after the change. */
  @ParameterizedTest
  @EnumSource(Call.class)
  void changesAfterACallChangeNothing(Call call) throws Exception {
    await(call.of(this));
  }

  @Test
  void allOptionsAreTried() throws Exception {
    Set<String> tried = new TreeSet<>();
    Arrays.stream(Call.values()).forEach(call -> tried.add(call.options.getSimpleName()));
    Set<String> there = new TreeSet<>();
    Path sources = Path.of("src/main/java/io/github/vertxrdma");
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(each -> each.toString().endsWith("Options.java")).toList()) {
        if (Files.readString(file).contains("\n@DataObject\n")) {
          there.add(file.getFileName().toString().replace(".java", ""));
        }
      }
    }
    assertEquals(there, tried);
  }
}
