package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Device;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** One side makes the system calls of Linux, the other uses the channels of the JDK. */
class MixedSocketsTest implements ConnectionCases, StressCases {

  @Override
  public Device device() {
    Device linux = BackEnds.linux();
    Device channels = BackEnds.channels();
    int[] opened = {0};
    return (Device) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Device.class}, (proxy, method, arguments) -> {
      try {
        return method.invoke(method.getName().equals("open") && opened[0]++ % 2 == 0 ? linux : channels, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    });
  }
}
