package io.github.vertxrdma.suites;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Casts to {@code SocketChannel} in Netty's tests become casts to {@code DuplexChannel}, whose name is as long. Vert.x gRPC's tests get our
 * clients and servers.
 */
final class SuiteLoader extends ClassLoader {
  private static final String NETTY = "io.netty.testsuite.";
  private static final String WANTED = "io/netty/channel/socket/SocketChannel";
  private static final String GIVEN = "io/netty/channel/socket/DuplexChannel";
  private static final List<String> GRPC = List.of("io.vertx.tests.client.", "io.vertx.tests.server.", "io.vertx.tests.health.",
    "io.vertx.tests.reflection.");

  private final boolean isOff = "off".equals(System.getProperty("vertx.rdma"));

  SuiteLoader() {
    super(SuiteLoader.class.getClassLoader());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    boolean grpc = !isOff && GRPC.stream().anyMatch(name::startsWith);
    if (!grpc && !name.startsWith(NETTY)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name, grpc);
    }
  }

  private Class<?> define(String name, boolean grpc) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      bytes = grpc ? GrpcCalls.replaced(bytes) : duplex(bytes);
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static byte[] duplex(byte[] bytes) {
    // Uses one character for each byte. Socket options need {@code SocketChannel}.
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    return text.contains(WANTED + "Config") ? bytes : text.replace(WANTED, GIVEN).getBytes(StandardCharsets.ISO_8859_1);
  }
}
