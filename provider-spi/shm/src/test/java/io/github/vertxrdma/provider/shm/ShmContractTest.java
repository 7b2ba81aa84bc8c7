package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.params.Parameter;

/** The contract on shm, and with memory that the domain did not allocate. */
@OverFabrics(value = "shm", full = "foreign-memory")
class ShmContractTest implements ProviderContract {
  @Parameter
  private String name;

  @Override
  public Device device() {
    Device shm = Devices.require(new ShmProvider(), "shm");
    return name.equals("shm") ? shm : new ForeignMemoryDevice(shm);
  }

  private static final class ForeignMemoryDevice extends ForwardingDevice {
    ForeignMemoryDevice(Device raw) {
      super(raw, "foreign-memory");
    }

    @Override
    public Domain open() {
      return new ForwardingDomain(this, raw().open()) {
        @Override
        public MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
          return arena.allocate(bytes, 4096);
        }
      };
    }
  }
}
