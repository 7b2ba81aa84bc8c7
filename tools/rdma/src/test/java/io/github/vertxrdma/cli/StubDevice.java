package io.github.vertxrdma.cli;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.Limits;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

record StubDevice(String name, EndpointType endpointType, Reach reach, Preference preference, Capabilities capabilities,
  Supplier<Capabilities> selfTest)
  implements
    Device {

  @Override
  public String provider() {
    return "stub";
  }

  @Override
  public String fabric() {
    return name;
  }

  @Override
  public long speed() {
    return reach == Reach.NETWORK ? 2_500_000_000L : 0;
  }

  @Override
  public Limits limits() {
    return new Limits(1 << 22, 1L << 62, 4096, 128, 256, 4, 16, 56, 1L << 62, 1000, 1024, 8);
  }

  @Override
  public Domain open() {
    Capabilities found = selfTest.get();
    return (Domain) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Domain.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "capabilities" -> found;
        case "limits" -> limits();
        case "close" -> null;
        default -> throw new UnsupportedOperationException(method.getName());
      });
  }
}
