package io.github.vertxrdma.impl.peers;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

public final class ProductVersion {
  public static final String CURRENT = read();

  private ProductVersion() {
  }

  private static String read() {
    try (InputStream in = ProductVersion.class.getResourceAsStream("/META-INF/vertx-rdma/version.properties")) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty("version", "unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
