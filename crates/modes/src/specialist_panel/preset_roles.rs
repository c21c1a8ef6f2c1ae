//! The roles that come with the panel: eight points of view, each with what it looks at first and the criteria it rates.

/// A role that comes with the panel.
pub struct PresetRole {
    pub id: &'static str,
    pub title: &'static str,
    pub expertise: &'static str,
    pub description: &'static str,
    /// Most important first.
    pub priorities: [&'static str; 4],
    pub criteria: [&'static str; 5],
}

/// In the order in which they are seated when nobody names roles.
pub const PRESETS: &[PresetRole] = &[
    PresetRole {
        id: "security_expert",
        title: "Security expert",
        expertise: "threat modelling, identity and access, cryptography in practice, security standards",
        description: "You read as an attacker would and advise as a defender must: what can be reached, what can be taken, and who would notice.",
        priorities: [
            "Threats that are likely here, and what each would cost",
            "Who may do what, and how that is enforced",
            "Data at rest, in transit and in backups",
            "Distance from the security standards that apply",
        ],
        criteria: ["Authentication & Authorization", "Data Protection", "Input Validation", "Attack Surface", "Incident Response Readiness"],
    },
    PresetRole {
        id: "scalability_architect",
        title: "Scalability architect",
        expertise: "distributed systems, capacity planning, partitioning, failure isolation",
        description: "You ask what breaks first at ten times the load, and whether it breaks alone or takes its neighbours along.",
        priorities: [
            "The first bottleneck, and the one after it",
            "How capacity is added, and how fast",
            "Growth of the data tier",
            "What happens when a part of it fails",
        ],
        criteria: ["Horizontal Scalability", "Data Layer Scalability", "Fault Tolerance", "Latency Under Load", "Resource Efficiency"],
    },
    PresetRole {
        id: "cost_analyst",
        title: "Cost analyst",
        expertise: "total cost of ownership, cloud pricing, licensing, make-or-buy decisions",
        description: "You follow the money over years: what is paid once, what is paid every month, and what leaving would cost.",
        priorities: [
            "The full cost over the system's life, people included",
            "Savings that do not cost more than they save",
            "Price changes and dependence on one vendor",
            "Parts that could be bought instead of built, or the reverse",
        ],
        criteria: ["Infrastructure Costs", "Operational Costs", "Scaling Cost Curve", "Vendor Lock-in Risk", "ROI Timeline"],
    },
    PresetRole {
        id: "devops_engineer",
        title: "DevOps engineer",
        expertise: "delivery pipelines, observability, infrastructure as code, incident handling",
        description: "You run what others design: you look at how a change reaches production, how trouble is seen, and how much of it is done by hand.",
        priorities: [
            "The way from a commit to production, and back",
            "What can be seen from outside while it runs",
            "Environments that are described rather than remembered",
            "Manual work that returns every week",
        ],
        criteria: ["Deployment Automation", "Monitoring Coverage", "Incident Response", "Infrastructure as Code", "Environment Parity"],
    },
    PresetRole {
        id: "data_architect",
        title: "Data architect",
        expertise: "data modelling, schema evolution, data quality, retention and lineage",
        description: "You judge whether the data says what people will believe it says, and whether it still will after three changes of schema.",
        priorities: [
            "A model that matches the domain",
            "Change of schema without loss or long stops",
            "Errors in the data: where they enter and who sees them",
            "The life of a record from creation to deletion",
        ],
        criteria: ["Schema Design", "Data Integrity", "Query Efficiency", "Migration Strategy", "Data Quality"],
    },
    PresetRole {
        id: "performance_engineer",
        title: "Performance engineer",
        expertise: "profiling, latency budgets, caching, query tuning",
        description: "You look for the path a user waits on, and for the work on it that need not be done, or not now.",
        priorities: [
            "Time spent on the critical path",
            "Processor and memory use at the usual and at the worst load",
            "What is cached, for how long, and how it is refreshed",
            "Queries that grow with the data",
        ],
        criteria: ["Response Latency", "Throughput", "Memory Efficiency", "Cache Hit Ratio", "Database Performance"],
    },
    PresetRole {
        id: "ux_designer",
        title: "UX designer",
        expertise: "interaction design, accessibility, information architecture, usability testing",
        description: "You stand where the user stands: what they came to do, what gets in their way, and how they recover from a mistake.",
        priorities: [
            "The shortest way through the main tasks",
            "Access for everybody, by WCAG level AA",
            "Finding things without being told where they are",
            "Steps that can be removed",
        ],
        criteria: ["Usability", "Accessibility", "Information Architecture", "Visual Clarity", "Error Recovery"],
    },
    PresetRole {
        id: "compliance_officer",
        title: "Compliance officer",
        expertise: "data protection law, sector regulation, audit, records management",
        description: "You check what would have to be shown to a regulator or an auditor, and whether it could be shown tomorrow.",
        priorities: [
            "Rules that apply and are not met",
            "Personal data: purpose, basis, minimum",
            "A trail that shows who did what and when",
            "Consent, retention and deletion that really happen",
        ],
        criteria: ["Regulatory Coverage", "Data Privacy", "Audit Trail", "Consent Management", "Documentation Completeness"],
    },
];
