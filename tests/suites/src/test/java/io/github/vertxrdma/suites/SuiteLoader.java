package io.github.vertxrdma.suites;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Loads Netty's socket tests with {@code DuplexChannel} where they cast to {@code SocketChannel}: they want its methods, which a channel over
 * the fabric has, not its socket. Both names are as long.
 */
final class SuiteLoader extends ClassLoader {
  private static final String PACKAGE = "io.netty.testsuite.";
  private static final String WANTED = "io/netty/channel/socket/SocketChannel";
  private static final String GIVEN = "io/netty/channel/socket/DuplexChannel";

  SuiteLoader() {
    super(SuiteLoader.class.getClassLoader());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(PACKAGE)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      // One character for each byte. A class that uses the options of sockets too needs one.
      String text = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      byte[] bytes = (text.contains(WANTED + "Config") ? text : text.replace(WANTED, GIVEN)).getBytes(StandardCharsets.ISO_8859_1);
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
