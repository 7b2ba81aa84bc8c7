package io.github.vertxrdma.functions.impl;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;

final class CodeLoader extends ClassLoader {
  private static final long LARGEST = 256L << 20;

  private final Map<String, byte[]> entries = new HashMap<>();

  CodeLoader(byte[] jar, ClassLoader parent) throws IOException {
    super("vertx-rdma-code", parent);
    long left = LARGEST;
    try (JarInputStream in = new JarInputStream(new ByteArrayInputStream(jar), false)) {
      for (JarEntry entry; (entry = in.getNextJarEntry()) != null;) {
        if (!entry.isDirectory()) {
          byte[] content = in.readNBytes((int) Math.min(Integer.MAX_VALUE - 8, left + 1));
          left -= content.length;
          if (left < 0) {
            throw new IOException("the code has more than " + LARGEST + " bytes when unpacked");
          }
          entries.put(entry.getName(), content);
        }
      }
    }
    if (entries.isEmpty()) {
      throw new IOException("the code is not a jar, or the jar is empty");
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = entries.get(name.replace('.', '/') + ".class");
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  @Override
  protected URL findResource(String name) {
    byte[] content = entries.get(name);
    if (content == null) {
      return null;
    }
    try {
      return URL.of(new URI("code", null, '/' + name, null), new URLStreamHandler() {
        @Override
        protected URLConnection openConnection(URL url) {
          return new URLConnection(url) {
            @Override
            public void connect() {
              connected = true;
            }

            @Override
            public InputStream getInputStream() {
              return new ByteArrayInputStream(content);
            }
          };
        }
      });
    } catch (IOException | java.net.URISyntaxException e) {
      return null;
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL found = findResource(name);
    return Collections.enumeration(found == null ? List.of() : List.of(found));
  }
}
