package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Devices in memory that say they carry nothing; client and server have two each, and none in common. */
class MemoryAdaptersTest extends AdaptersContract {
  private static final String FABRIC = "rails";
  private static final AtomicInteger NODES = new AtomicInteger();

  private final Rail[][] rails = new Rail[2][2];
  private int made;

  /** One of two devices on the same wire. */
  private static final class Rail extends ForwardingDevice {
    private volatile String outage = "";

    Rail(Device base, int number) {
      super(base, FABRIC + '-' + number);
    }

    @Override
    public String fabric() {
      return FABRIC;
    }

    @Override
    public Domain open() {
      return new ForwardingDomain(this, raw().open()) {
        @Override
        public String outage() {
          return outage;
        }
      };
    }
  }

  @Override
  String fabric() {
    return FABRIC;
  }

  /** Of the server first, then of the client, and of any other after it those of the client. */
  @Override
  RdmaOptions options() {
    String name = "rails-" + NODES.getAndIncrement();
    int node = Math.min(made++, 1);
    Device base = InMemoryFabric.named(FABRIC).device();
    for (int i = 0; i < 2; i++) {
      if (rails[node][i] == null) {
        rails[node][i] = new Rail(base, i);
      }
    }
    InMemoryFabric.named(name).inFront(device -> rails[node][device.endpointType() == EndpointType.MSG ? 0 : 1]);
    return super.options().setSettings(new JsonObject().put("memory.name", name));
  }

  @Override
  List<String> devices() {
    return List.of(FABRIC + "-0", FABRIC + "-1");
  }

  @Override
  void carries(int device, boolean it) {
    rails[1][device].outage = it ? "" : "its port is down";
  }

  /** A server tells whoever connects of a device that carries nothing. */
  @Test
  void aPeerWhoseDeviceCarriesNothingIsMetByItsOther() throws Exception {
    await(server.createServer().connectHandler(c -> c.endHandler(v -> c.end())).listen("orders"));
    assertEquals(devices().getFirst(), deviceOf(client, clientVertx.getOrCreateContext()));
    rails[0][0].outage = "its port is down";
    Rdma other = Rdma.create(clientVertx, options());
    until("it is met by the other", () -> deviceOfNext(other).equals(devices().getLast()));
    rails[0][0].outage = "";
    until("it is met by the first again", () -> deviceOfNext(other).equals(devices().getFirst()));
  }

  private String deviceOfNext(Rdma rdma) {
    try {
      return deviceOf(rdma, clientVertx.getOrCreateContext());
    } catch (Exception e) {
      return e.toString();
    }
  }
}
