package io.github.vertxrdma;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.vertx.codegen.annotations.VertxGen;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ArchitectureTest {
  private static final String API = "io.github.vertxrdma";
  private static final String IMPL = API + ".impl";
  /** Packages of the implementation, the lowest first. */
  private static final List<String> LAYERS = Stream
    .of(".process", ".poll", ".device", ".link", ".peers", ".region", ".node", ".transport", ".calls", ".api").map(IMPL::concat).toList();
  /** Static factories of public types, which create objects of implementation classes. */
  private static final Set<String> FACTORIES = Set.of("Rdma > api.RdmaImpl", "Rdma > transport.TransportOptions",
    "directory.DirectoryBackend > peers.Directories");
  /** Other dependencies of public types on implementation classes. Remove entries; do not add any. */
  private static final Set<String> REMAINING = Set.of("RdmaOptions > peers.EntryJson",
    "directory.FabricAddress > peers.EntryJson", "directory.NodeEntry > peers.EntryJson", "directory.NodeEntry > peers.ProductVersion",
    "directory.NodeEntry > process.NodeName", "directory.ProcessIdentity > peers.EntryJson",
    "directory.ProcessIdentity > process.ThisProcess", "directory.RegionEntry > peers.EntryJson", "directory.SealedKey > peers.EntryJson",
    "directory.ServiceEntry > peers.EntryJson", "statistics.NodeStatistics > process.RecordJson");

  /** Classes that read or write fields of records without {@code Cursor}: each has a few words at fixed offsets. Do not add any. */
  private static final Set<String> WITHOUT_CURSOR = Set.of("PublishedRecord", "PublishedStatistics", "RegionFrames", "RequestFrame",
    "WakeFile");

  private static JavaClasses module;

  @BeforeAll
  static void read() {
    module = new ClassFileImporter().importPath("target/classes");
  }

  @Test
  void implementationPackagesDependOnlyOnLowerOnes() {
    for (int i = 0; i < LAYERS.size() - 1; i++) {
      String[] higher = LAYERS.subList(i + 1, LAYERS.size()).toArray(String[]::new);
      noClasses().that().resideInAPackage(LAYERS.get(i)).should().dependOnClassesThat().resideInAnyPackage(higher).check(module);
    }
  }

  @Test
  void everyImplementationPackageHasALayer() {
    classes().that().resideInAPackage(IMPL + "..").should().resideInAnyPackage(LAYERS.toArray(String[]::new)).check(module);
  }

  @Test
  void linksHaveFewPublicTypes() {
    List<String> types = module.stream()
      .filter(type -> type.getPackageName().equals(IMPL + ".link") && type.isTopLevelClass()
        && type.getModifiers().contains(JavaModifier.PUBLIC))
      .map(JavaClass::getSimpleName).sorted().toList();
    assertTrue(types.size() <= 28, types.size() + " types: " + types);
  }

  @Test
  void publicPackagesUseImplementationClassesOnlyInFactories() {
    Set<String> found = module.stream().filter(type -> !isImplementation(type))
      .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
      .filter(dependency -> isImplementation(dependency.getTargetClass())).map(ArchitectureTest::name)
      .collect(Collectors.toCollection(TreeSet::new));
    Set<String> allowed = new TreeSet<>(FACTORIES);
    allowed.addAll(REMAINING);
    assertEquals(allowed, found);
  }

  @Test
  void architecturePageSaysWhyEachPublicTypeIsThere() throws IOException {
    String page = Files.readString(Path.of("../docs/architecture.adoc"));
    String table = page.substring(page.indexOf("[#public-types]")).split("(?m)^\\|===$")[1];
    Set<String> explained = Pattern.compile("(?m)^\\|([^|]+)\\|").matcher(table).results().skip(1)
      .flatMap(row -> Pattern.compile("`(\\w+)`").matcher(row.group(1)).results()).map(name -> name.group(1))
      .collect(Collectors.toCollection(TreeSet::new));
    Set<String> types = module.stream()
      .filter(type -> !isImplementation(type) && type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
      .map(JavaClass::getSimpleName).filter(name -> !name.endsWith("OptionsConverter")).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(types, explained);
  }

  private static boolean isImplementation(JavaClass type) {
    return (type.getPackageName() + '.').startsWith(IMPL + '.');
  }

  private static String name(Dependency dependency) {
    return dependency.getOriginClass().getName().substring(API.length() + 1).replaceAll("\\$.*", "") + " > "
      + dependency.getTargetClass().getName().substring(IMPL.length() + 1).replaceAll("\\$.*", "");
  }

  /**
   * Bindings for other languages are generated from marked interfaces, and the compilation fails when the generator does not accept one.
   * Interfaces that applications implement and those with types of the provider SPI are not marked.
   */
  @Test
  void interfacesThatApplicationsCallAreMarkedForTheCodeGenerator() {
    Set<String> unmarked = Set.of("RdmaAuthorizer", "RdmaDevice");
    classes().that().areInterfaces().and().arePublic().and().resideInAnyPackage(API, API + ".bus")
      .and(DescribedPredicate.describe("are called by applications", type -> !unmarked.contains(type.getSimpleName())))
      .should().beAnnotatedWith(VertxGen.class).check(module);
  }

  @Test
  void onlyLoopCallExpectsThatAnEventLoopHasEnded() {
    Set<String> found = module.stream().flatMap(type -> type.getCodeUnits().stream())
      .filter(method -> method.getTryCatchBlocks().stream().flatMap(block -> block.getCaughtThrowables().stream())
        .anyMatch(caught -> caught.isEquivalentTo(RejectedExecutionException.class)))
      .map(method -> outer(method.getOwner())).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of("LoopCall"), found);
  }

  @Test
  void cursorReadsAndWritesRecords() {
    Set<String> found = module.stream().flatMap(type -> type.getMethodCallsFromSelf().stream())
      .filter(call -> call.getTargetOwner().isEquivalentTo(ByteBuffer.class) && call.getName().matches("(get|put)(Short|Int|Long)"))
      .map(call -> outer(call.getOriginOwner())).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(WITHOUT_CURSOR, found);
  }

  private static String outer(JavaClass type) {
    return type.getFullName().substring(type.getPackageName().length() + 1).replaceAll("\\$.*", "");
  }

  /**
   * Leases, deadlines, proofs and heartbeats use the monotonic clock, so that a step of the wall clock ends none of them. The classes here
   * show the time to people, or compare it with the times of files without locks.
   */
  @Test
  void wallClockDecidesOnlyAboutFilesWithoutLocks() {
    Set<String> shown = Set.of("impl.node.Node", "impl.node.ErrorLog");
    Set<String> files = Set.of("impl.process.RuntimeFolder", "impl.process.PublishedStatistics", "impl.process.ShortPath",
      "impl.peers.NodeFolder");
    Set<String> users = module.stream()
      .filter(each -> each.getCodeUnitAccessesFromSelf().stream().map(access -> access.getTarget().getOwner().getSimpleName() + '.'
        + access.getTarget().getName()).anyMatch(Set.of("System.currentTimeMillis", "Instant.now", "Clock.systemUTC", "Date.<init>",
          "LocalDateTime.now", "ZonedDateTime.now")::contains))
      .map(each -> each.getName().substring(API.length() + 1)).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Stream.concat(shown.stream(), files.stream()).collect(Collectors.toCollection(TreeSet::new)), users);
  }
}
