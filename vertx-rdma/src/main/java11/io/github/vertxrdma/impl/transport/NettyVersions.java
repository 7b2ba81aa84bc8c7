package io.github.vertxrdma.impl.transport;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.util.Collections;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares the versions of the Netty jars on the class path. Compiled for the oldest Java that Vert.x runs on. */
final class NettyVersions {
  private static final String RESOURCE = "META-INF/io.netty.versions.properties";
  private static final String SUFFIX = ".version";
  private static final String INCUBATOR = "netty-incubator-";
  private static final int NAMED = 4;

  private NettyVersions() {
  }

  /** Returns a message about jars of several versions, or null. */
  static String mixed(ClassLoader loader) {
    TreeMap<String, SortedSet<String>> jars = new TreeMap<>();
    try {
      for (URL found : Collections.list(loader.getResources(RESOURCE))) {
        Properties versions = new Properties();
        URLConnection connection = found.openConnection();
        connection.setUseCaches(false);
        try (InputStream in = connection.getInputStream()) {
          versions.load(in);
        }
        for (String key : versions.stringPropertyNames()) {
          if (key.endsWith(SUFFIX) && !key.startsWith(INCUBATOR)) {
            jars.computeIfAbsent(versions.getProperty(key), version -> new TreeSet<>())
              .add(key.substring(0, key.length() - SUFFIX.length()));
          }
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      // Files that cannot be read say nothing about versions.
      return null;
    }
    return jars.size() < 2 ? null : "The class path has jars of Netty of several versions: "
      + jars.entrySet().stream().map(jar -> jar.getKey() + " (" + named(jar.getValue()) + ')').collect(Collectors.joining(", "))
      + ". Vert.x fails with classes or methods that it does not find. Give all of them the version that this Vert.x was released with,"
      + " for example by importing io.netty:netty-bom before other bills of materials; in Spring Boot set the property netty.version.";
  }

  private static String named(SortedSet<String> jars) {
    return jars.stream().limit(NAMED).collect(Collectors.joining(", ")) + (jars.size() > NAMED ? " and " + (jars.size() - NAMED) + " more"
      : "");
  }
}
