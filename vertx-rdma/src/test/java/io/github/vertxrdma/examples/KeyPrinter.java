package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.vertx.core.Vertx;
import java.lang.foreign.Arena;
import java.util.HexFormat;
import java.util.Set;

/** Registers memory with a device, and prints what a peer needs to write to it. */
public class KeyPrinter {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma.create(vertx).openDevice(arguments[0])
      .compose(device -> device.run(() -> describe(device)).eventually(device::close))
      .onComplete(System.out::println, Throwable::printStackTrace)
      .eventually(vertx::close);
  }

  private static String describe(RdmaDevice device) {
    Set<Access> access = Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    Domain domain = device.domain();
    try (MemoryRegion memory = domain.register(domain.allocate(4096, access, Arena.ofAuto()), access)) {
      return "address " + memory.remoteAddress() + ", key " + HexFormat.of().formatHex(memory.remoteKey());
    }
  }
}
// end::all[]
