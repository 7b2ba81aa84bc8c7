package io.github.vertxrdma.impl.transport;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.Collections;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Compares the versions of the Netty jars on the class path. */
final class NettyVersions {
  private static final String RESOURCE = "META-INF/io.netty.versions.properties";
  private static final String SUFFIX = ".version";
  private static final String INCUBATOR = "netty-incubator-";
  /** Maven's file with the version of a Netty jar. A fat jar keeps all of these, but only one {@link #RESOURCE}. */
  private static final Pattern POM = Pattern.compile("META-INF/maven/io\\.netty/([^/]+)/pom\\.properties");
  /** Versions of Netty itself. Its builds of other libraries have other versions. */
  private static final Pattern OWN = Pattern.compile("[45]\\..*");
  /** Maximum number of jars named per version. */
  private static final int NAMED = 4;

  private NettyVersions() {
  }

  /** Returns a message if the jars have different versions, otherwise null. */
  static String mixed(ClassLoader loader) {
    TreeMap<String, SortedSet<String>> jars = new TreeMap<>();
    try {
      for (URL found : Collections.list(loader.getResources(RESOURCE))) {
        URLConnection connection = found.openConnection();
        connection.setUseCaches(false);
        // Closing the stream closes the jar too.
        try (InputStream in = connection.getInputStream()) {
          Properties versions = read(in);
          for (String key : versions.stringPropertyNames()) {
            if (key.endsWith(SUFFIX) && !key.startsWith(INCUBATOR)) {
              add(jars, versions.getProperty(key), key.substring(0, key.length() - SUFFIX.length()));
            }
          }
          if (connection instanceof JarURLConnection) {
            addPacked(jars, ((JarURLConnection) connection).getJarFile());
          }
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      // Unreadable files say nothing about versions.
      return null;
    }
    return jars.size() < 2 ? null : "The class path has jars of Netty of several versions: "
      + jars.entrySet().stream().map(jar -> jar.getKey() + " (" + named(jar.getValue()) + ')').collect(Collectors.joining(", "))
      + ". Vert.x fails with classes or methods that it does not find. Give all of them the version that this Vert.x was released with,"
      + " for example by importing io.netty:netty-bom before other bills of materials; in Spring Boot set the property netty.version.";
  }

  private static void addPacked(TreeMap<String, SortedSet<String>> jars, JarFile fatJar) throws IOException {
    for (JarEntry entry : Collections.list(fatJar.entries())) {
      Matcher pom = POM.matcher(entry.getName());
      if (pom.matches()) {
        String version = read(fatJar.getInputStream(entry)).getProperty("version", "");
        if (OWN.matcher(version).matches()) {
          add(jars, version, pom.group(1));
        }
      }
    }
  }

  private static void add(TreeMap<String, SortedSet<String>> jars, String version, String jar) {
    jars.computeIfAbsent(version, each -> new TreeSet<>()).add(jar);
  }

  private static Properties read(InputStream in) throws IOException {
    Properties properties = new Properties();
    properties.load(in);
    return properties;
  }

  private static String named(SortedSet<String> jars) {
    return jars.stream().limit(NAMED).collect(Collectors.joining(", ")) + (jars.size() > NAMED ? " and " + (jars.size() - NAMED) + " more"
      : "");
  }
}
