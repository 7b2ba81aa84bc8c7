package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** The contract on memory that the domain did not allocate: its owner carries operations out. */
class ForeignMemoryContractTest implements ProviderContract {

  @Override
  public Device device() {
    return new ForeignMemoryDevice(Devices.require(new ShmProvider(), "shm"));
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
