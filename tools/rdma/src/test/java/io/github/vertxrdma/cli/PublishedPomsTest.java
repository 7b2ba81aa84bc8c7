package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.instance.BuildInfoProvider;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.w3c.dom.Element;

/** Reads the POMs that are published: those in the target folders, which Maven has made of the sources. */
@Timeout(60)
class PublishedPomsTest {
  private static final Path BILL = PROJECT.resolve("tools/bom/pom.xml");
  private static final Pattern GENERATED = Pattern
    .compile("(?s)(<!-- Generated from vertx-dependencies[^\n]*\n)(.*?)( *<!-- Generated: end)");

  /** Artifacts with code for applications: not those of tests and sources, and not parents of modules. */
  private static final Pattern USED = Pattern.compile("(?!.*-(parent|aggregator):).*:(|processor|shaded):(|jar)");

  private static Element parse(Path file) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement();
  }

  private static List<Element> children(Element of, String... path) {
    List<Element> found = List.of(of);
    for (String name : path) {
      found = found.stream().flatMap(each -> IntStream.range(0, each.getChildNodes().getLength()).mapToObj(each.getChildNodes()::item))
        .filter(each -> each.getNodeName().equals(name)).map(Element.class::cast).toList();
    }
    return found;
  }

  private static String text(Element of, String name) {
    return children(of, name).stream().map(Element::getTextContent).findFirst().orElse("");
  }

  private static Path published(String module) {
    return PROJECT.resolve(module).resolve("target/flattened-pom.xml");
  }

  @Test
  void billOfMaterialsManagesFourGroups() throws Exception {
    Element bill = parse(published("tools/bom"));
    List<Element> managed = children(bill, "dependencyManagement", "dependencies", "dependency");
    assertEquals(Set.of("io.github.vertxrdma", "io.vertx", "com.hazelcast", "io.netty"),
      managed.stream().map(each -> text(each, "groupId")).collect(Collectors.toSet()));
    assertTrue(managed.stream().anyMatch(each -> text(each, "artifactId").equals("hazelcast")
      && text(each, "version").equals(BuildInfoProvider.getBuildInfo().getVersion())));
    // It imports no other bill of materials than Netty's, which has Netty's group only.
    assertEquals(List.of("netty-bom"),
      managed.stream().filter(each -> text(each, "scope").equals("import")).map(each -> text(each, "artifactId")).toList());
    for (String absent : List.of("parent", "build", "profiles", "properties")) {
      assertEquals(List.of(), children(bill, absent));
    }
    for (Element each : managed) {
      assertTrue(text(each, "version").matches("\\$\\{project\\.version}|[^$]+"), each.getTextContent());
    }
  }

  /** Reads modules that are built before this one. The POMs of others may be those of an earlier build. */
  @Test
  void jarsHaveNeitherParentNorManagementNorDependenciesOfTests() throws Exception {
    for (String module : List.of("base", "provider-spi/api", "provider-spi/shm", "vertx-rdma", "cluster-bootstrap", "extensions/page")) {
      Element pom = parse(published(module));
      for (String absent : List.of("parent", "dependencyManagement", "build", "profiles", "properties")) {
        assertEquals(List.of(), children(pom, absent), module);
      }
      for (String needed : List.of("groupId", "version", "name", "description", "url", "licenses", "developers", "scm")) {
        assertFalse(text(pom, needed).isEmpty(), module + ' ' + needed);
      }
      assertEquals("https://github.com/vertxrdma/vertx-rdma", text(pom, "url"));
      for (Element dependency : children(pom, "dependencies", "dependency")) {
        assertFalse(text(dependency, "version").isEmpty() || text(dependency, "scope").equals("test"),
          module + ": " + dependency.getTextContent());
      }
    }
    assertTrue(children(parse(published("vertx-rdma")), "dependencies", "dependency").stream()
      .anyMatch(each -> text(each, "artifactId").equals("vertx-core")));
  }

  /** Vert.x's own bill of materials also has versions of Log4j, SLF4J, Jackson, Guava and SnakeYAML. */
  @Test
  void billOfMaterialsListsTheArtifactsOfVertx() throws Exception {
    String bill = Files.readString(BILL);
    String generated = GENERATED.matcher(bill).replaceFirst(found -> Matcher.quoteReplacement(found.group(1) + vertx() + found.group(3)));
    if (Boolean.getBoolean("vertx.rdma.docs.write")) {
      Files.writeString(BILL, generated);
    }
    assertEquals(generated, Files.readString(BILL), "tools/bom/pom.xml is out of date; generate it again: mvn -pl tools/rdma -am test"
      + " -Dtest=PublishedPomsTest -Dsurefire.failIfNoSpecifiedTests=false -Dtest.jvm=-Dvertx.rdma.docs.write=true");
  }

  /** Returns the entries for Vert.x and Netty of the bill of materials of Vert.x, in the versions that the parent POM selects. */
  private static String vertx() {
    try {
      Element parent = parse(PROJECT.resolve("pom.xml"));
      Element properties = children(parent, "properties").getFirst();
      Path core = Path.of(Vertx.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getParent();
      String version = core.getFileName().toString();
      Path of = core.getParent().resolveSibling("vertx-dependencies").resolve(version).resolve("vertx-dependencies-" + version + ".pom");
      String netty = text(children(parse(of), "properties").getFirst(), "netty.version");
      Map<String, String> own = children(parent, "dependencyManagement", "dependencies", "dependency").stream()
        .filter(each -> text(each, "groupId").equals("io.vertx"))
        .collect(Collectors.toMap(each -> text(each, "artifactId"), each -> text(each, "version")));
      StringBuilder list = new StringBuilder();
      Set<String> listed = new HashSet<>();
      for (Element each : children(parse(of), "dependencyManagement", "dependencies", "dependency")) {
        String group = text(each, "groupId");
        String artifact = text(each, "artifactId");
        String classifier = text(each, "classifier");
        String type = text(each, "type");
        if (!(group.equals("io.vertx") && USED.matcher(artifact + ':' + classifier + ':' + type).matches() || group.equals("io.netty"))
          || !listed.add(artifact + ':' + classifier)) {
          continue;
        }
        String written = group.equals("io.netty") ? netty : own.getOrDefault(artifact, artifact.startsWith("vertx-grpc") ? "${grpc.version}"
          : text(each, "version").replace("${project.version}", "${vertx.version}"));
        list.append("      <dependency>\n");
        element(list, 8, "groupId", group);
        element(list, 8, "artifactId", artifact);
        element(list, 8, "version", Pattern.compile("\\$\\{(.*)}").matcher(written).replaceAll(name -> text(properties, name.group(1))));
        element(list, 8, "type", type);
        element(list, 8, "classifier", classifier);
        element(list, 8, "scope", text(each, "scope"));
        List<Element> exclusions = children(each, "exclusions", "exclusion");
        list.append(exclusions.isEmpty() ? "" : "        <exclusions>\n");
        for (Element exclusion : exclusions) {
          list.append("          <exclusion>\n");
          element(list, 12, "groupId", text(exclusion, "groupId"));
          element(list, 12, "artifactId", text(exclusion, "artifactId"));
          list.append("          </exclusion>\n");
        }
        list.append(exclusions.isEmpty() ? "" : "        </exclusions>\n").append("      </dependency>\n");
      }
      return list.toString();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void element(StringBuilder list, int indent, String name, String text) {
    if (!text.isEmpty()) {
      list.append(" ".repeat(indent)).append('<').append(name).append('>').append(text).append("</").append(name).append(">\n");
    }
  }
}
